import type { PlacedMessage, WireMessage } from '@holdfast/sessions';
import type { AgentSetup, CrewSession, CrewSetup, CrewTurn } from '../api/types.ts';

/** Who said the message at a position, and how many tools it calls. */
export interface Spoken {
  readonly index: number;
  readonly time: number;
  readonly agent: string;
  readonly calls: number;
}

const USER = 'user';

/** Who said a message of a crew. Results of tools belong to the agent that called them: the one that spoke `before`. Pure. */
export function spokenIn(
  { index, time, message }: Pick<PlacedMessage, 'index' | 'time' | 'message'>,
  before: string | undefined,
): Spoken {
  const { tool_calls } = message;
  return { index, time, agent: speakerOf(message, before), calls: Array.isArray(tool_calls) ? tool_calls.length : 0 };
}

function speakerOf({ role, name }: WireMessage, before: string | undefined): string {
  if (role === 'assistant') return typeof name === 'string' ? name : 'assistant';
  return role === 'tool' && before !== undefined ? before : USER;
}

/** A crew's session for people: its agents, who handed over to whom, and the newest turns. Pure. */
export function crewSession(spoken: readonly Spoken[], setup: CrewSetup | undefined, most = 1_000): CrewSession {
  const turns = turnsOf(spoken);
  const sums = new Map<string, { turns: number; messages: number; calls: number }>();
  for (const { agent, from, to, calls } of turns) {
    const sum = sums.get(agent) ?? { turns: 0, messages: 0, calls: 0 };
    sums.set(agent, { turns: sum.turns + 1, messages: sum.messages + to - from + 1, calls: sum.calls + calls });
  }
  const known = setup?.agents ?? [];
  const others = [...sums.keys()]
    .filter((agent) => agent !== USER && !known.some(({ name }) => name === agent))
    .map((name): AgentSetup => ({ name }));
  return {
    agents: [...known, ...others].map((agent) => ({
      ...agent,
      ...(sums.get(agent.name) ?? { turns: 0, messages: 0, calls: 0 }),
    })),
    ...(setup ? { entry: setup.entry } : {}),
    edges: edgesOf(turns),
    turns: turns.slice(-most).map(({ calls: _, ...turn }) => turn),
  };
}

function turnsOf(spoken: readonly Spoken[]): (CrewTurn & { readonly calls: number })[] {
  const turns: { agent: string; from: number; to: number; time: number; calls: number }[] = [];
  for (const { index, time, agent, calls } of spoken) {
    const last = turns.at(-1);
    if (last?.agent !== agent) turns.push({ agent, from: index, to: index, time, calls });
    else {
      last.to = index;
      last.calls += calls;
    }
  }
  return turns;
}

function edgesOf(turns: readonly CrewTurn[]): CrewSession['edges'] {
  const counts = new Map<string, { from: string; to: string; count: number }>();
  for (const [at, { agent: to }] of turns.entries()) {
    const from = turns[at - 1]?.agent;
    if (from === undefined || from === USER || to === USER) continue;
    const key = `${from}\n${to}`;
    const edge = counts.get(key) ?? { from, to, count: 0 };
    edge.count++;
    counts.set(key, edge);
  }
  return [...counts.values()];
}
