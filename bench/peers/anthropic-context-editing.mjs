// Anthropic's context editing (`clear_tool_uses_20250919`), simulated from its documentation because the server does it:
// above the trigger, the results of all but the newest 3 tool uses (the default) are replaced by a short text, and stay
// replaced. The trigger counts all input, so it is 40,000 plus the 10,000 tokens of overhead. Calls keep their arguments,
// and nothing bounds the prompt.
import { total } from '../measure.mjs';
import { definePeer, LIMIT } from '../peer.mjs';

const KEPT = 3;

function open() {
  const history = [];
  const cleared = new Map();
  const view = () => history.map((message) => cleared.get(message) ?? message);
  return {
    push: (message) => history.push(message),
    run() {
      if (total(view()) > LIMIT) {
        const results = history.filter(({ role }) => role === 'tool');
        for (const result of results.slice(0, -KEPT))
          if (!cleared.has(result))
            cleared.set(result, { ...result, content: '[Tool result cleared to save context]' });
      }
      return view();
    },
    chat: (messages) => messages,
  };
}

export default definePeer({
  name: 'Anthropic context editing, 40k (simulated)',
  package: 'clear_tool_uses',
  version: '20250919',
  budget: 'tokens:40000',
  simulated: true,
  open,
});
