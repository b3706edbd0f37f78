import {
  eachEntry,
  type SessionEntry,
  type SessionInfo,
  type SessionStore,
  sessionConversation,
} from '@holdfast/sessions';
import { ConversationWindow, isHoldfastError } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import { historyWindow } from '../history/bound.ts';
import { CREW_DIALECT } from '../history/note.ts';
import { charsShown } from '../usage/chars-said.ts';

/** The window of a session between two requests. */
export type SavedConversation = Awaited<ReturnType<typeof sessionConversation<CrewMessage>>>;

interface Read {
  readonly info: SessionInfo;
  readonly history: readonly CrewMessage[];
}

/**
 * A session's history with its folds, as its last window had it; without folds, the newest messages. Undefined if no window
 * can continue from what the session holds.
 */
export async function sessionHistory(
  store: SessionStore,
  { info, history }: Read,
): Promise<SavedConversation | undefined> {
  const saved =
    info.folds > 0 ? await sessionConversation(store, info, CREW_DIALECT) : unfolded(info.messages, history);
  return (await canContinue(saved)) ? saved : undefined;
}

/** Counts all messages before those that were read as removed; there is no note for them yet. */
function unfolded(messages: number, history: readonly CrewMessage[]): SavedConversation {
  // The first messages read may be results of calls that were not.
  const first = messages === history.length ? 0 : history.findIndex(({ role }) => role !== 'tool');
  const pending = history.slice(Math.max(0, first));
  const window = new ConversationWindow<CrewMessage>({}, { dialect: CREW_DIALECT }).state();
  return { version: 1, fingerprint: '', shared: 0, pending, window: { ...window, seen: messages - pending.length } };
}

/** False for sessions that no crew could have written, such as some imported ones. */
async function canContinue({ window, pending }: SavedConversation): Promise<boolean> {
  try {
    await historyWindow({ warn() {} }, { limit: 0, strategy: 'fold' }, window).fit(pending, { offset: window.seen });
    return true;
  } catch (error) {
    if (isHoldfastError(error) && (error.code === 'INVALID_HISTORY' || error.code === 'BAD_STATE')) return false;
    throw error;
  }
}

/** Characters said in the first `messages` messages of a session, as agents are shown them. */
export interface SaidTotal {
  readonly messages: number;
  readonly chars: number;
}

/** The total up to now, from what the last request stored or, without that, estimated from the messages that were read. */
export async function saidInSession(store: SessionStore, { info, history }: Read): Promise<SaidTotal> {
  const { messages } = info;
  for await (const { entry } of eachEntry(store, info.id, { types: ['usage'], reverse: true, limit: 1 })) {
    const known = entry.type === 'usage' ? (entry.state as Partial<SaidTotal> | undefined) : undefined;
    if (typeof known?.messages !== 'number' || typeof known.chars !== 'number') break;
    const later = Math.min(history.length, Math.max(0, messages - known.messages));
    return { messages, chars: known.chars + charsShown(history.slice(history.length - later)) };
  }
  return { messages, chars: (charsShown(history) / Math.max(1, history.length)) * messages };
}

/** The total after these entries. Pure. */
export function saidAfter({ messages, chars }: SaidTotal, entries: readonly SessionEntry[]): SaidTotal {
  const said = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message as unknown as CrewMessage] : []));
  return { messages: messages + said.length, chars: chars + charsShown(said) };
}
