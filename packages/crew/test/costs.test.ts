import type { Tool } from '@holdfast/agent';
import { expect, test } from 'vitest';
import { newStore } from '../../sessions/test/new-store.ts';
import { type CrewInput, type CrewMessage, createCrewSession, runInSession, usageTable } from '../src/index.ts';
import { crewModel, crewOn } from './crew-model.ts';

const RULES = 'Keep to the rules of the house. '.repeat(40);
const CREW: CrewInput = {
  entry: 'lead',
  agents: {
    lead: { role: `Plan. ${RULES}`, next: 'clerk' },
    clerk: { role: `Work. ${RULES}`, tools: ['look'], terminal: true },
  },
};
const GROUP: CrewInput = {
  entry: 'lead',
  agents: {
    lead: { role: `Plan. ${RULES}`, next: 'all' },
    one: { role: `Look. ${RULES}` },
    two: { role: `Look, too. ${RULES}` },
    clerk: { role: `Answer. ${RULES}`, terminal: true },
  },
  groups: { all: { agents: ['one', 'two'], join: 'clerk' } },
};
const look: Tool = {
  name: 'look',
  description: 'Looks',
  input_schema: { type: 'object' },
  run: () => 'a line of what was found; '.repeat(20),
};

interface Costs {
  readonly cost: number;
  readonly unbounded: number;
  readonly saved: number;
}

/** The same requests each time. */
async function spent(crew: CrewInput, limit: number, inSession: boolean, api: string): Promise<Costs> {
  const answer = { text: 'This is what I think of it, with reasons and names such as src/parser.ts. '.repeat(5) };
  const model = await crewModel(
    {
      lead: () => answer,
      one: () => answer,
      two: () => answer,
      clerk: ({ results, tools }) =>
        results.length > 0 || tools.length === 0 ? answer : { calls: [{ name: 'look', input: {} }] },
    },
    { keep_bodies: 0 },
  );
  const executor = crewOn(model, { ...crew, max_messages_per_request: limit }, { tools: [look] }, api);
  const { store } = inSession ? await newStore() : { store: undefined };
  const id = store ? (await createCrewSession(store)).id : '';
  let history: readonly CrewMessage[] = [];
  let costs: Costs = { cost: 0, unbounded: 0, saved: 0 };
  for (let i = 0; i < 9; i++) {
    const input = `Request ${i}: ${'please look into this and that; '.repeat(6)}`;
    const events = store ? runInSession(executor, store, id, input) : executor.executeStream(input, history);
    for await (const event of events) {
      if (event.type !== 'result') continue;
      ({ history } = event.result);
      const { cost = Number.NaN, everything = Number.NaN, tokensSaved } = event.result.usage.crew;
      costs = {
        cost: costs.cost + cost,
        unbounded: costs.unbounded + everything,
        saved: costs.saved + tokensSaved,
      };
      expect(usageTable(event.result.usage)).toContain(`$${everything.toFixed(4)}`);
    }
  }
  return costs;
}

test.each([
  ['anthropic', 'a chain, a client keeps the history', CREW, ['rolling', 'fold'], false],
  ['anthropic', 'a chain in a session', CREW, ['rolling', 'fold'], true],
  ['anthropic', 'a group in a session', GROUP, ['rolling'], true],
  ['openai-chat', 'a group in a session', GROUP, ['rolling'], true],
] as const)('%s, %s: what no limit would have cost is what it does cost, within a tenth', async (...given) => {
  const [api, , crew, strategies, inSession] = given;
  const none = await spent(crew, 1_000, false, api);
  expect(none.unbounded / none.cost).toBeGreaterThan(0.9);
  expect(none.unbounded / none.cost).toBeLessThan(1.1);
  expect(none.saved).toBe(0);
  for (const strategy of strategies) {
    const { cost, unbounded, saved } = await spent({ ...crew, strategy }, 9, inSession, api);
    expect(unbounded / none.cost).toBeGreaterThan(0.9);
    expect(unbounded / none.cost).toBeLessThan(1.1);
    expect(saved).toBeGreaterThan(0);
    // A limit that costs more than none is seen to do so.
    expect(cost > unbounded).toBe(cost > none.cost);
  }
});
