import { isRecord } from '../content.ts';
import type { Dialect, Role } from '../dialect.ts';
import { placeholder, turnStarts } from '../turns/read-turns.ts';
import type { Trimmed } from './trim.ts';

/**
 * The newest whole turns, oldest first out, of at most `limit` messages; more only where what must stay is longer: leading
 * system messages, the newest turn, and the newest user message before it where the user does not speak first. What stands
 * behind the cut loses thinking that is bound to what stood before it. Pure; throws only for what is no JSON.
 */
export function pruneMessages<M>(dialect: Dialect<M>, messages: readonly M[], limit: number): Trimmed<M> {
  if (messages.length <= limit) return { trimmed: [...messages], evicted: [] };
  const starts = turnStarts(dialect, messages);
  const roles = messages.map((message) => (isRecord(message) ? dialect.read(message).role : undefined));
  const { system, from, end, start } = cutOf(starts, roles, limit);
  const stays = (i: number) => i < system || i >= start || (i >= from && i < end);
  if (messages.every((_, i) => stays(i))) return { trimmed: [...messages], evicted: [] };
  const trimmed: M[] = [];
  const evicted: M[] = [];
  for (const [i, message] of messages.entries()) {
    const now = stays(i) ? unbound(dialect, message, starts[i]) : undefined;
    if (now === undefined) evicted.push(message);
    else trimmed.push(now);
  }
  return { trimmed, evicted };
}

/** What stays: all before `system`, a user's turn from `from` to `end` (the same if none has to), all from `start` on. */
function cutOf(starts: readonly boolean[], roles: readonly (Role | undefined)[], limit: number) {
  const { length } = roles;
  const first = roles.findIndex((role) => role !== 'system');
  const system = first < 0 ? length : first;
  const asks: number[] = []; // the places of the user's turns
  for (let i = system; i < length; i++) if (starts[i] && roles[i] === 'user') asks.push(i);
  let cut = { system, from: length, end: length, start: length };
  for (let start = length - 1; start >= system; start--) {
    if (!starts[start]) continue;
    while ((asks.at(-1) ?? -1) >= start) asks.pop();
    const from = roles[start] === 'user' ? length : (asks.at(-1) ?? length);
    let end = from;
    while (end < start && (end === from || !starts[end])) end++;
    if (cut.start < length && system + end - from + length - start > limit) break;
    cut = { system, from, end, start };
  }
  return cut;
}

/** The message without thinking that is bound to what was changed before it; undefined if nothing is left of it. */
export function unbound<M>(dialect: Dialect<M>, message: M, starts = true): M | undefined {
  const isBound = dialect.thinking === 'bound' && isRecord(message) && dialect.read(message).thinking;
  return isBound ? (dialect.withoutThinking(message) ?? (starts ? undefined : placeholder(dialect))) : message;
}
