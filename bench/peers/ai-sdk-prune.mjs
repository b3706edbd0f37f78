// AI SDK `pruneMessages`: tool calls and results gone before the last 6 messages, reasoning gone before the last one,
// empty messages removed. It takes no budget and keeps no state. Chat messages carry no reasoning parts, so that the
// reasoning option costs time here and removes nothing.
import { pruneMessages } from 'ai';
import { definePeer } from '../peer.mjs';
import { aiSdkMessages } from '../shapes/ai-sdk.mjs';

function open() {
  const { messages, push, chat } = aiSdkMessages({ lateSystem: 'system' });
  return {
    push,
    run: () =>
      pruneMessages({
        messages,
        reasoning: 'before-last-message',
        toolCalls: 'before-last-6-messages',
        emptyMessages: 'remove',
      }),
    chat,
  };
}

export default definePeer({ name: 'AI SDK pruneMessages, last 6', package: 'ai', budget: 'none', open });
