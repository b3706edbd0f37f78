import type { CrewConfig, CrewMessage } from '../config/config.ts';
import { isNote } from '../history/note.ts';
import { signalIn, signalsOf } from './signals.ts';

/** Who goes on, or how it ended. */
export type Turn =
  | { readonly type: 'agent'; readonly agent: string; readonly by?: 'signal' | 'next' | 'join' }
  | { readonly type: 'group'; readonly group: string; readonly by?: 'signal' | 'next' }
  /** The answer of this agent is the crew's. */
  | { readonly type: 'end'; readonly agent?: string }
  /** This agent has asked the user. */
  | { readonly type: 'pause'; readonly agent: string };

/**
 * Whose turn it is, by the history alone: so any process can go on with it, and a pause needs no state of its own. Pure.
 */
export function whoseTurn(crew: CrewConfig, messages: readonly CrewMessage[]): Turn {
  // A system message is nobody's turn, nor is a note.
  const history = messages.filter((message) => message.role !== 'system' && !isNote(message));
  const last = history.at(-1);
  if (!last) return { type: 'agent', agent: crew.entry };
  if (last.role === 'tool') return toAgent(crew, callerOf(history));
  if (last.role === 'assistant') return last.tool_calls ? toAgent(crew, last.name) : afterAnswer(crew, last);
  const { name = '' } = last.role === 'user' ? last : {};
  const group = Object.hasOwn(crew.groups, name) ? crew.groups[name] : undefined;
  if (group) return { type: 'agent', agent: group.join, by: 'join' };
  const before = history.slice(0, history.findLastIndex(({ role }) => role !== 'user') + 1);
  const turn: Turn = before.length > 0 ? whoseTurn(crew, before) : { type: 'end' };
  return { type: 'agent', agent: turn.type === 'pause' ? turn.agent : crew.entry };
}

function toAgent(crew: CrewConfig, name: string | undefined): Turn {
  return { type: 'agent', agent: name !== undefined && Object.hasOwn(crew.agents, name) ? name : crew.entry };
}

function callerOf(history: readonly CrewMessage[]): string | undefined {
  const caller = history.findLast(({ role }) => role === 'assistant');
  return caller?.role === 'assistant' ? caller.name : undefined;
}

function afterAnswer(crew: CrewConfig, { content, name }: { readonly content: string; readonly name?: string }): Turn {
  const agent = name !== undefined && Object.hasOwn(crew.agents, name) ? crew.agents[name] : undefined;
  if (!agent || name === undefined) return { type: 'end' };
  const signal = signalIn(content, signalsOf(agent));
  if (signal) return toward(crew, signal.to, 'signal');
  if (agent.pause) return { type: 'pause', agent: name };
  return agent.next === undefined ? { type: 'end', agent: name } : toward(crew, agent.next, 'next');
}

function toward(crew: CrewConfig, to: string, by: 'signal' | 'next'): Turn {
  return Object.hasOwn(crew.groups, to) ? { type: 'group', group: to, by } : { type: 'agent', agent: to, by };
}
