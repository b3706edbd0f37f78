// Holdfast itself through its public API, with defaults except for the budget: no message limit, a token limit for the
// messages, plus 10,000 tokens of overhead for system prompt and tools, as the metrics count it. After each call it
// receives the size of what was sent, as a provider would report it.
import { readFileSync } from 'node:fs';
import { ConversationWindow } from '../../packages/engine/dist/index.js';
import { total } from '../measure.mjs';
import { definePeer } from '../peer.mjs';

const RESERVE = 10_000;
const { version } = JSON.parse(readFileSync(new URL('../../packages/engine/package.json', import.meta.url), 'utf8'));

const holdfast = (name, budget, config) =>
  definePeer({
    name,
    package: 'holdfast',
    version,
    budget,
    open() {
      const window = new ConversationWindow({ reserve: RESERVE, ...config }, { logger: { warn() {} } });
      const history = [];
      return {
        push: (message) => history.push(message),
        run: async () => (await window.fit(history)).messages,
        chat(view) {
          window.observe({ input_tokens: RESERVE + total(view) });
          return view;
        },
        recall: async (handle) => (await window.recall(handle)).messages,
      };
    },
  });

/** Holdfast with this token budget and preference. */
export const holdfastAt = (tokens, prefer = 'balance') =>
  holdfast(`Holdfast fold, ${tokens / 1000}k${prefer === 'balance' ? '' : `, ${prefer}`}`, `tokens:${tokens}`, {
    max_messages: 0,
    max_tokens: tokens + RESERVE,
    prefer,
  });

export default [
  ...[40_000, 80_000, 30_000, 20_000].map((tokens) => holdfastAt(tokens)),
  holdfastAt(40_000, 'price'),
  holdfastAt(80_000, 'price'),
  holdfastAt(40_000, 'memory'),
  holdfastAt(80_000, 'memory'),
  holdfast('Holdfast fold, 100 messages', 'messages:100', { max_messages: 100 }),
  holdfast('Holdfast sliding, 100 messages', 'messages:100', { max_messages: 100, strategy: 'sliding' }),
];
