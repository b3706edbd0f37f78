import type { CrewConfig, CrewMessage } from '../config/config.ts';
import { isNote } from '../history/note.ts';
import { signalIn, signalsOf } from './signals.ts';

/** Who acts next, or how the request ended. */
export type NextTurn =
  | { readonly type: 'agent'; readonly agent: string; readonly by?: 'signal' | 'next' | 'join' }
  | { readonly type: 'group'; readonly group: string; readonly by?: 'signal' | 'next' }
  /** This agent's answer is the crew's answer. */
  | { readonly type: 'end'; readonly agent?: string }
  /** This agent asked the user. */
  | { readonly type: 'pause'; readonly agent: string };

/** Derives the next turn from the history alone, so any process can continue, and a pause needs no state. Pure. */
export function whoseTurn(crew: CrewConfig, messages: readonly CrewMessage[]): NextTurn {
  // System messages and notes are not turns.
  const history = messages.filter((message) => message.role !== 'system' && !isNote(message));
  const last = history.at(-1);
  if (!last) return { type: 'agent', agent: crew.entry };
  if (last.role === 'tool') return toAgent(crew, callerOf(history));
  if (last.role === 'assistant') return last.tool_calls ? toAgent(crew, last.name) : afterAnswer(crew, last);
  const { name = '' } = last.role === 'user' ? last : {};
  const group = Object.hasOwn(crew.groups, name) ? crew.groups[name] : undefined;
  if (group) return { type: 'agent', agent: group.join, by: 'join' };
  const before = history.slice(0, history.findLastIndex(({ role }) => role !== 'user') + 1);
  const turn: NextTurn = before.length > 0 ? whoseTurn(crew, before) : { type: 'end' };
  return { type: 'agent', agent: turn.type === 'pause' ? turn.agent : crew.entry };
}

function toAgent(crew: CrewConfig, name: string | undefined): NextTurn {
  return { type: 'agent', agent: name !== undefined && Object.hasOwn(crew.agents, name) ? name : crew.entry };
}

function callerOf(history: readonly CrewMessage[]): string | undefined {
  const caller = history.findLast(({ role }) => role === 'assistant');
  return caller?.role === 'assistant' ? caller.name : undefined;
}

function afterAnswer(
  crew: CrewConfig,
  { content, name }: { readonly content: string; readonly name?: string },
): NextTurn {
  const agent = name !== undefined && Object.hasOwn(crew.agents, name) ? crew.agents[name] : undefined;
  if (!agent || name === undefined) return { type: 'end' };
  const signal = signalIn(content, signalsOf(agent));
  if (signal) return toward(crew, signal.to, 'signal');
  if (agent.pause) return { type: 'pause', agent: name };
  return agent.next === undefined ? { type: 'end', agent: name } : toward(crew, agent.next, 'next');
}

function toward(crew: CrewConfig, to: string, by: 'signal' | 'next'): NextTurn {
  return Object.hasOwn(crew.groups, to) ? { type: 'group', group: to, by } : { type: 'agent', agent: to, by };
}
