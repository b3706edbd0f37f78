import type { WireMessage } from '@holdfast/sessions';
import { type Dialect, repairHistory } from 'holdfast';

/** Of each message: calls minus results, or NaN if two of its calls have the same id. */
const openCalls = new WeakMap<WireMessage, number>();

/**
 * The same messages with exactly one result for each call: a placeholder for one that is missing, as after an interrupted tool,
 * and ids of their own for parallel calls without any. APIs and windows refuse them otherwise, and some frameworks repair them
 * after us. Pure; the same list if there is nothing to do, or it cannot be done.
 */
export function withPairedCalls(
  dialect: Dialect<WireMessage>,
  messages: readonly WireMessage[],
): readonly WireMessage[] {
  try {
    if (messages.reduce((open, message) => open + countOpen(dialect, message), 0) === 0) return messages;
    return repairHistory(messages, { dialect }).messages;
  } catch {
    return messages;
  }
}

function countOpen(dialect: Dialect<WireMessage>, message: WireMessage): number {
  const known = openCalls.get(message);
  if (known !== undefined) return known;
  const { calls, results } = dialect.read(message);
  const isUnique = new Set(calls.map(({ id }) => id)).size === calls.length;
  const open = isUnique ? calls.length - results.length : Number.NaN;
  openCalls.set(message, open);
  return open;
}
