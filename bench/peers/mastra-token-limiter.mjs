// Mastra `TokenLimiter` as an input processor with a limit of 40,000 and its defaults (best-fit). In this version the
// limit is enforced on the provider prompt right before each model call, so that hook is called. Mastra counts with its
// own estimator, which cannot be replaced here; its 40,000 are more than 40,000 by the benchmark's count.
// Mastra hoists system messages out of the dialogue; mid-conversation ones are passed as user messages instead.
import { TokenLimiter } from '@mastra/core/processors';
import { definePeer, LIMIT } from '../peer.mjs';
import { aiSdkMessages } from '../shapes/ai-sdk.mjs';

function open() {
  const { messages, push, chat } = aiSdkMessages({ lateSystem: 'user' });
  const limiter = new TokenLimiter({ limit: LIMIT });
  return {
    push,
    run: async () => (await limiter.processLLMRequest({ prompt: messages }))?.prompt ?? messages,
    chat,
  };
}

export default definePeer({
  name: 'Mastra TokenLimiter, 40k',
  package: '@mastra/core',
  budget: 'tokens:40000',
  pure: true,
  open,
});
