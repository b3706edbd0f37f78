// Strands `SlidingWindowConversationManager` with its default window of 40 messages, driven by the hooks that it
// registers. It slides after each invocation, not before each model call, so a long run of tool calls stays whole until
// the user writes again. The second row slides before each call, its tightest setting.
import { SlidingWindowConversationManager } from '@strands-agents/sdk';
import { definePeer, WINDOW } from '../peer.mjs';
import { strandsSession } from '../shapes/strands.mjs';

const sliding = (name, options) =>
  definePeer({
    name,
    package: '@strands-agents/sdk',
    budget: 'messages:40',
    stateful: true,
    open: () => strandsSession(new SlidingWindowConversationManager({ windowSize: WINDOW }), options),
  });

export default [
  sliding('Strands sliding 40'),
  sliding('Strands sliding 40, at each call', { invocationPerCall: true }),
];
