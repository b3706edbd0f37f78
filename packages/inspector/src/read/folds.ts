import {
  type Moment,
  type PlacedMessage,
  type SessionEntry,
  type SessionStore,
  unknownSession,
  type WireMessage,
} from '@holdfast/sessions';
import type { Dialect, Receipt } from 'holdfast';
import type { FoldDetail, FoldedTurn, Note } from '../api/types.ts';
import { foldDetail, MOST_TURNS, noteOf } from '../data/fold-detail.ts';
import { readMessage, titleOf } from '../data/message-parts.ts';
import type { Indexed } from './indexes.ts';

type FoldEntry = Extract<SessionEntry, { type: 'fold' }>;

/** The entry of a fold. Throws if it cannot be read. */
export async function foldEntry(store: SessionStore, session: string, seq: number): Promise<FoldEntry> {
  const [stored] = (await store.read(session, { from: seq, limit: 1 })).items;
  if (stored?.entry.type !== 'fold') throw unknownSession(session);
  return stored.entry;
}

/** The note of a fold; undefined if it has none. Pure. */
export function noteIn({ fold, receipt }: FoldEntry, number: number): Note | undefined {
  const { note, head, kept, covered } = fold;
  if (note === undefined) return undefined;
  return noteOf(note, {
    tokens: receipt.noteTokens,
    before: kept[head]?.from ?? covered,
    fold: number,
    ...(receipt.summary === undefined ? {} : { summary: receipt.summary }),
  });
}

/** Everything about one fold; undefined if there is no such fold. */
export async function readFold(
  store: SessionStore,
  { info, index }: Indexed,
  dialect: Dialect<WireMessage>,
  number: number,
): Promise<FoldDetail | undefined> {
  const marks = index.foldMarks();
  const mark = marks[number - 1];
  if (!mark) return undefined;
  const entry = await foldEntry(store, info.id, mark.seq);
  const { receipt } = entry;
  const earlier = index.folds.inEffect(mark.seq - 1).at(-1);
  const earlierSeq = earlier === undefined ? undefined : index.folds.folds[earlier - 1]?.seq;
  const before =
    earlier === undefined || earlierSeq === undefined
      ? undefined
      : noteIn(await foldEntry(store, info.id, earlierSeq), earlier);
  const after = noteIn(entry, number);
  const notes = { ...(before ? { before } : {}), ...(after ? { after } : {}) };
  // The proxy writes the newest messages after the fold that saw them.
  const last = index.calls[(mark.call ?? 0) - 1]?.seq ?? info.last;
  const first = await firstMessages(store, info.id, dialect, receipt, last);
  return { ...foldDetail(mark, receipt, new Set(index.pins), first, notes), of: marks.length };
}

/** Messages read at once for the titles of turns that are close together. */
const NEAR = 8;

/** The titles of the turns of a receipt, by their first messages. */
async function firstMessages(
  store: SessionStore,
  session: string,
  dialect: Dialect<WireMessage>,
  { turns }: Receipt,
  last: number,
): Promise<Map<number, Pick<FoldedTurn, 'title' | 'role'>>> {
  const found = new Map<number, Pick<FoldedTurn, 'title' | 'role'>>();
  const wanted = turns.slice(0, MOST_TURNS).map(({ from }) => from);
  const at: Moment = { last, messages: Math.max(0, ...turns.map(({ to }) => to + 1)) };
  for (let i = 0; i < wanted.length; ) {
    const from = wanted[i] ?? 0;
    let end = from;
    while (i < wanted.length && (wanted[i] ?? 0) - end <= NEAR) end = wanted[i++] ?? end;
    for (let next: number | undefined = from; next !== undefined && next <= end; ) {
      const page: { readonly items: readonly PlacedMessage[]; readonly next?: number } = await store.history(session, {
        from: next,
        limit: end - next + 1,
        at,
      });
      for (const { index, message } of page.items) {
        const read = readMessage(dialect, message);
        found.set(index, { title: titleOf(read), role: read.role });
      }
      next = page.next;
    }
  }
  return found;
}
