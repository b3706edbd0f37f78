import { shown } from '@holdfast/agent/config';
import { isTooDeep, MOST_LEVELS } from '@holdfast/sessions/foreign';
import { HoldfastError } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';

const ROLES: readonly unknown[] = ['user', 'system', 'assistant', 'tool'];

/** A copy of a history that came from outside; calls may stand without words, as APIs give them. Throws INVALID_HISTORY. */
export function givenHistory(history: readonly CrewMessage[]): CrewMessage[] {
  return [...history].map((given: unknown, index) => {
    if (isTooDeep(given)) {
      const text = `history[${index}] has over ${MOST_LEVELS} levels: give fewer, and no cycles`;
      throw new HoldfastError('INVALID_HISTORY', text, { index });
    }
    const message: unknown = structuredClone(given);
    const wrong = (what: string, value: unknown, fix: string) =>
      new HoldfastError('INVALID_HISTORY', `history[${index}]${what} is ${shown(value)}: give ${fix}`, { index });
    if (typeof message !== 'object' || message === null) throw wrong('', message, 'a message with role and content');
    const { role, content, tool_calls } = message as Readonly<Record<string, unknown>>;
    if (!ROLES.includes(role)) throw wrong('.role', role, 'user, system, assistant or tool');
    const text = (content ?? undefined) === undefined && tool_calls !== undefined ? '' : content;
    if (typeof text !== 'string') throw wrong('.content', content, 'a text');
    // The rest is made valid where it is not.
    return { ...message, content: text } as CrewMessage;
  });
}
