import type { ConversationWindow } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';

/**
 * The newest whole turns within a limit, the oldest first out, and before them the first of the leading system messages: as
 * many as the newest turn leaves room for, and no more than half of the limit where turns need the rest. So only a newest
 * turn that is longer exceeds the limit. Pure, but for what the window logs.
 */
export function pruned(
  window: Pick<ConversationWindow<CrewMessage>, 'pruneHistory'>,
  messages: readonly CrewMessage[],
  limit: number,
): { readonly trimmed: CrewMessage[]; readonly evicted: CrewMessage[] } {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const lead = first < 0 ? messages.length : first;
  // A limit that is none is refused by the window, in its words.
  if (lead === 0 || messages.length <= limit || !(limit >= 1)) return window.pruneHistory(messages, limit);
  const rest = messages.slice(lead);
  const least = window.pruneHistory(rest, 1).trimmed.length;
  const room = Math.max(0, limit - Math.max(least, Math.min(rest.length, Math.ceil(limit / 2))));
  const system = messages.slice(0, Math.min(lead, room));
  const { trimmed, evicted } = window.pruneHistory(rest, Math.max(1, limit - system.length));
  return { trimmed: [...system, ...trimmed], evicted: [...messages.slice(system.length, lead), ...evicted] };
}
