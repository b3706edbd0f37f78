// AI SDK `pruneMessages`: removes tool calls and results before the last 6 messages, reasoning before the last one, and
// empty messages. It takes no budget and keeps no state. Chat messages have no reasoning parts, so the reasoning option
// only costs time here.
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

export default definePeer({
  name: 'AI SDK pruneMessages, last 6',
  package: 'ai',
  budget: 'none',
  pure: true,
  open,
});
