import {
  advance,
  conflict,
  type FoundMessage,
  type Head,
  type Hit,
  type LogRow,
  linesOf,
  type Moment,
  messageText,
  newHead,
  type PlacedMessage,
  passagesOf,
  readHandle,
  type SessionInfo,
  type SessionStore,
  snippetOf,
  unknownSession,
  wordsIn,
} from '@holdfast/sessions';
import { HoldfastError, messageHandle } from 'holdfast';

/** Everything the store keeps: the head of each session, and its rows. */
export type Memory = Map<string, { head: Head; rows: readonly LogRow[] }>;

/** An in-memory store, for your own tests. */
export function memoryStore(memory: Memory): SessionStore {
  const known = (id: string) => {
    const found = memory.get(id);
    if (!found) throw unknownSession(id);
    return found;
  };
  return {
    mask_keys: false,
    async create(session = {}) {
      const head = newHead(session);
      if (memory.has(head.id)) throw new HoldfastError('STORE_CONFLICT', `session ${head.id} already exists`);
      memory.set(head.id, { head, rows: [] });
      return infoOf(head);
    },
    async append(session, entries, after, times) {
      const { head: before, rows } = known(session);
      if (before.last !== after) throw conflict(session, after, before.last);
      const { head, rows: added } = advance(before, entries, times ?? Date.now());
      memory.set(session, { head, rows: [...rows, ...added] });
      return head.last;
    },
    async read(session, { from, types, reverse = false, limit = 500 } = {}) {
      const { rows } = known(session);
      const ordered = reverse ? rows.toReversed() : rows;
      const isIn = ({ seq }: LogRow) => from === undefined || (reverse ? seq <= from : seq >= from);
      const asked = ordered.filter((row) => isIn(row) && (types === undefined || types.includes(row.type)));
      const { page, rest } = cut(asked, limit);
      const items = page.map(({ seq, time, hash, body }) => ({ seq, time, hash, entry: JSON.parse(body) }));
      return { items, ...(rest ? { next: rest.seq } : {}) };
    },
    async history(session, { from = 0, limit = 500, at } = {}) {
      const { page, rest } = cut(historyOf(known(session), at).slice(from), limit);
      return {
        items: page.map((row) => placed(known(session).rows, row)),
        ...(rest ? { next: Number(rest.place) } : {}),
      };
    },
    async message(session, place) {
      return find(known(session), place);
    },
    async info(session) {
      const found = memory.get(session);
      return found && infoOf(found.head);
    },
    async list({ limit = Number.POSITIVE_INFINITY, before, prefix = '', suffix = '' } = {}) {
      const named = ({ id }: { readonly id: string }) => id.startsWith(prefix) && id.endsWith(suffix);
      const all = [...memory.values()].map(({ head }) => infoOf(head)).filter(named);
      return all
        .sort(newestFirst)
        .filter((info) => before === undefined || newestFirst(before, info) < 0)
        .slice(0, limit);
    },
    async find(prefix) {
      const ids = memory.has(prefix) ? [prefix] : [...memory.keys()].filter((id) => id.startsWith(prefix));
      const [id = prefix] = ids;
      if (ids.length !== 1) throw unknownSession(prefix, ids);
      return infoOf(known(id).head);
    },
    async search(words, { session, limit = 5 } = {}) {
      const asked = new Set(wordsIn(words));
      const sessions = session === undefined ? [...memory.keys()] : [session];
      const hits = sessions.flatMap((id) => hitsIn(id, known(id).rows, asked));
      const texts = new Set<string>();
      const isNew = ({ text }: Hit) => texts.size < texts.add(text).size;
      return hits
        .sort((one, other) => other.score - one.score)
        .map(({ score: _, ...hit }) => hit)
        .filter(isNew)
        .slice(0, limit);
    },
    async delete(session) {
      known(session);
      memory.delete(session);
    },
    async close() {},
  };
}

function infoOf({ revisions: _, ...info }: Head): SessionInfo {
  return info;
}

type Used = Pick<SessionInfo, 'id' | 'updated'>;
function newestFirst(one: Used, other: Used): number {
  return other.updated - one.updated || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0);
}

/** A page of at most `limit` rows and 4 MB, and the row after it. */
function cut(rows: readonly LogRow[], limit: number): { page: readonly LogRow[]; rest: LogRow | undefined } {
  let bytes = 0;
  const end = rows.findIndex(({ body }, at) => {
    bytes += body.length;
    return at === limit || (at > 0 && bytes > 4_000_000);
  });
  return end < 0 ? { page: rows, rest: undefined } : { page: rows.slice(0, end), rest: rows[end] };
}

/** The history, by default the current one: the last message written at each position. */
function historyOf(
  { head, rows }: { readonly head: Head; readonly rows: readonly LogRow[] },
  { last, messages }: Moment = head,
): LogRow[] {
  const places: LogRow[] = [];
  for (const row of rows) if (row.place !== null && row.seq <= last) places[row.place] = row;
  return places.slice(0, messages);
}

function placed(rows: readonly LogRow[], { seq, time, place, revision, body }: LogRow, index = 0): PlacedMessage {
  const own = place === null ? undefined : messageHandle(place, revision ?? 0);
  const taken = rows.find(({ handle }) => own !== undefined && handle === own)?.target ?? seq;
  const handle = own !== undefined && taken === seq ? own : `#${seq}`;
  return { seq, time, index: place ?? index, handle, message: JSON.parse(body).message };
}

function find(
  session: { readonly head: Head; readonly rows: readonly LogRow[] },
  place: number | string,
): FoundMessage | undefined {
  const { rows } = session;
  const found = (by: FoundMessage['by'], row: LogRow | undefined, index?: number) =>
    row && { ...placed(rows, row, index), by };
  const bySeq = (seq: number | null) => rows.find((row) => row.seq === seq && /^(?:message|handle)$/.test(row.type));
  const now = (index: number) => found('place', historyOf(session)[index]);
  if (typeof place === 'number') return now(place);
  if (place.startsWith('#')) return found('name', bySeq(Number(place.slice(1))));
  const named = readHandle(place);
  if (!named) return undefined;
  const record = rows.find(({ handle }) => handle === place);
  if (record) return found('record', bySeq(record.target), named.place);
  const own = rows.find((row) => row.place === named.place && row.revision === named.revision);
  return found('name', own) ?? (named.revision === 0 ? now(named.place) : undefined);
}

/** Scores passages by the words they share with the query; rare words weigh more. */
function hitsIn(
  session: string,
  rows: readonly LogRow[],
  asked: ReadonlySet<string>,
): (Hit & { readonly score: number })[] {
  const passages = rows.flatMap((row) => {
    const whole = row.entry.type === 'message' ? messageText(row.entry.message) : '';
    return passagesOf(whole).map((passage) => {
      const text = whole.slice(passage.start, passage.end).trimEnd();
      return { row, text, lines: linesOf(whole, passage), words: new Set(wordsIn(text)) };
    });
  });
  const weight = (word: string) => 1 / passages.filter(({ words }) => words.has(word)).length;
  return passages.flatMap(({ row, text, lines, words }) => {
    const { message: _, time: __, ...place } = placed(rows, row);
    const score = [...asked].reduce((sum, word) => sum + (words.has(word) ? weight(word) : 0), 0);
    return score === 0 ? [] : [{ session, ...place, lines, text, snippet: snippetOf(text, asked), score }];
  });
}
