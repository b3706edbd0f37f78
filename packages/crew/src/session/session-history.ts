import type { SessionEntry } from '@holdfast/sessions';
import { eachEntry, type SessionStore, sessionConversation } from '@holdfast/sessions';
import { ConversationWindow, isHoldfastError } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import { historyWindow } from '../history/bound.ts';
import { CREW_DIALECT } from '../history/note.ts';
import { toldChars } from '../usage/told-chars.ts';
import type { CrewSession } from './session.ts';

/** A conversation between two requests. */
export type SavedConversation = Awaited<ReturnType<typeof sessionConversation<CrewMessage>>>;

type Read = Pick<CrewSession, 'info' | 'history'>;

/**
 * The history of a session with its folds, as the window had it that made the last of them. Of a session without folds, the
 * newest messages. Undefined where what was kept is no history that a window could go on from.
 */
export async function sessionHistory(
  store: SessionStore,
  { info, history }: Read,
): Promise<SavedConversation | undefined> {
  const saved =
    info.folds > 0 ? await sessionConversation(store, info, CREW_DIALECT) : unfolded(info.messages, history);
  return (await goesOn(saved)) ? saved : undefined;
}

/** All before the messages that were read counts as taken out: there is no note of it yet. */
function unfolded(messages: number, history: readonly CrewMessage[]): SavedConversation {
  // What was read may begin with results of calls that were not.
  const first = messages === history.length ? 0 : history.findIndex(({ role }) => role !== 'tool');
  const pending = history.slice(Math.max(0, first));
  const window = new ConversationWindow<CrewMessage>({}, { dialect: CREW_DIALECT }).state();
  return { version: 1, fingerprint: '', shared: 0, pending, window: { ...window, seen: messages - pending.length } };
}

/** True if a window can go on from it: an import may hold what no crew wrote. */
async function goesOn({ window, pending }: SavedConversation): Promise<boolean> {
  try {
    await historyWindow({ warn() {} }, { limit: 0, strategy: 'fold' }, window).fit(pending, { offset: window.seen });
    return true;
  } catch (error) {
    if (isHoldfastError(error) && (error.code === 'INVALID_HISTORY' || error.code === 'BAD_STATE')) return false;
    throw error;
  }
}

/** Characters of all that was said in a session up to a number of messages, as agents are told it. */
export interface Said {
  readonly messages: number;
  readonly chars: number;
}

/** What was said up to now: by what the last request kept of it, or else by the messages that were read. */
export async function saidInSession(store: SessionStore, { info, history }: Read): Promise<Said> {
  const { messages } = info;
  for await (const { entry } of eachEntry(store, info.id, { types: ['usage'], reverse: true, limit: 1 })) {
    const known = entry.type === 'usage' ? (entry.state as Partial<Said> | undefined) : undefined;
    if (typeof known?.messages !== 'number' || typeof known.chars !== 'number') break;
    const later = Math.min(history.length, Math.max(0, messages - known.messages));
    return { messages, chars: known.chars + toldChars(history.slice(history.length - later)) };
  }
  return { messages, chars: (toldChars(history) / Math.max(1, history.length)) * messages };
}

/** What was said once these entries are kept. Pure. */
export function saidAfter({ messages, chars }: Said, entries: readonly SessionEntry[]): Said {
  const said = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message as unknown as CrewMessage] : []));
  return { messages: messages + said.length, chars: chars + toldChars(said) };
}
