import type { Dialect } from '../dialect.ts';
import { type DialectName, detectDialect, dialectNamed } from '../dialects/detect.ts';
import { checkMessages, readMessages } from '../turns/read-turns.ts';
import { sendable } from '../view/view.ts';
import { viewTurnsOf } from '../view/view-turn.ts';
import { repairMessages } from './repair.ts';
import type { Repaired } from './repairs.ts';

/**
 * Makes a broken history valid without removing anything; returns the same list if it is valid. Pure, deterministic and
 * idempotent. Throws INVALID_HISTORY if it cannot be repaired.
 */
export function repairHistory<M>(
  messages: readonly M[],
  options: { readonly dialect?: Dialect<M> | DialectName } = {},
): Repaired<M> {
  const { dialect: given = detectDialect(messages) as Dialect<M> } = options;
  const dialect = typeof given === 'string' ? (dialectNamed(given) as Dialect<M>) : given;
  const { messages: whole, repairs } = repairMessages(dialect, messages);
  const turns = viewTurnsOf(dialect, readMessages(dialect, whole, 0, 0));
  const sent = sendable(dialect, { turns, head: 0 });
  checkMessages(dialect, sent);
  if (sent.every((message, i) => message === whole[i])) return { messages: whole, repairs };
  return {
    messages: sent,
    repairs: [...repairs, { index: -1, rule: 'too-many-markers', done: 'Kept the newest.' }],
  };
}
