import type { Provider, Tool } from '@holdfast/agent';
import { createStandIn } from '@holdfast/stand-in';
import fc from 'fast-check';
import { type OpenaiChatMessage, validateOpenaiChat } from 'holdfast/rules';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { CrewExecutor, type CrewInput, type CrewMessage } from '../src/index.ts';
import { APIS } from './crew-model.ts';

const numRuns = Number(process.env.HOLDFAST_RUNS ?? (SOAK ? 2_000 : 12));
const look: Tool = {
  name: 'look',
  description: 'Looks',
  input_schema: { type: 'object' },
  parallel: true,
  run: () => 'seen',
};

/** What a model does next, as any agent. */
type Move =
  | { readonly type: 'answer' | 'signal' | 'tool' | 'group' }
  | { readonly type: 'calls'; readonly count: number };
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ type: fc.constantFrom('answer' as const, 'signal' as const, 'tool' as const, 'group' as const) }),
  fc.record({ type: fc.constant('calls' as const), count: fc.integer({ min: 1, max: 6 }) }),
);

let moves: Move[] = [];
let standIn: Awaited<ReturnType<typeof createStandIn>>;
beforeAll(async () => {
  standIn = await createStandIn({
    keep_bodies: 0,
    script: ({ tools }) => {
      const next = moves.shift() ?? { type: 'answer' };
      const can = (name: string) => tools.some((tool) => tool.name === name);
      if (next.type === 'calls' && can('look'))
        return { text: 'I look.', calls: Array.from({ length: next.count }, () => ({ name: 'look', input: {} })) };
      if (next.type === 'tool' && can('hand_off'))
        return { calls: [{ name: 'hand_off', input: { to: 'two', message: 'go' } }] };
      if (next.type === 'signal') return { text: 'Over. [ROUTE_TWO] or rather [ROUTE_ONE]' };
      return { text: next.type === 'group' ? 'All. [ROUTE_BOTH]' : 'Said.' };
    },
  });
});
afterAll(() => standIn.close());

const AGENT = { role: 'Work.', tools: ['look'] };
const CREW: CrewInput = {
  entry: 'one',
  limits: { max_hand_offs: 6, max_rounds: 12 },
  agents: {
    one: { ...AGENT, hand_offs: ['two', 'both'] },
    two: { ...AGENT, hand_offs: ['one', 'both'], pause: true },
    left: AGENT,
    right: AGENT,
  },
  groups: { both: { agents: ['left', 'right'], join: 'one' } },
};

/** Messages that must stay together at the end: an answer with calls and its results. */
function newestTurn(history: readonly CrewMessage[]): number {
  const from = history.findLastIndex(({ role }) => role !== 'tool');
  return history.length - from;
}

test.each(Object.keys(APIS))(
  '%s: whatever the agents do, requests are valid, the history is bounded and whole, and it ends',
  async (api) => {
    const property = fc.asyncProperty(
      fc.array(fc.array(move, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom('rolling' as const, 'fold' as const, 'governed' as const),
      fc.array(fc.constantFrom('system' as const, 'user' as const, 'assistant' as const), { maxLength: 20 }),
      async (requests, limit, strategy, roles) => {
        const before = standIn.requests.length;
        const provider = () => APIS[api]?.(standIn) as Provider;
        const sizes: { readonly after: number; readonly turn: number }[] = [];
        const crew = new CrewExecutor(
          { ...CREW, strategy },
          {
            provider,
            tools: [look],
            max_messages_per_request: limit,
            onEvent: (event) =>
              void (
                event.type === 'history-append' && sizes.push({ after: event.after, turn: newestTurn(event.messages) })
              ),
          },
        );
        let history: readonly CrewMessage[] = roles.map((role, i) => ({ role, content: `before ${i}` }));
        for (const list of requests) {
          moves = [...list];
          const result = await crew.execute('go on', history);
          expect(['complete', 'paused', 'stopped']).toContain(result.status);
          history = JSON.parse(JSON.stringify(result.history));
          expect(validateOpenaiChat(history as OpenaiChatMessage[])).toEqual([]);
        }
        // More only where the newest turn and the user's message before it are longer.
        for (const { after, turn } of sizes) expect(after).toBeLessThanOrEqual(Math.max(limit, turn + 1));
        const refused = standIn.requests.slice(before).filter(({ verdict }) => verdict !== 'answered');
        expect(refused).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns, seed: 20_261_115 });
  },
);
