import { HoldfastError, maskSecrets } from 'holdfast';
import { chainHash, NO_HASH, type StoredEntry } from '../entry.ts';
import { unknownSession } from '../log/head.ts';
import { maskSaid } from '../log/mask-entry.ts';
import { createCopier } from '../log/writer.ts';
import { parsedJson } from '../parsed-json.ts';
import { eachEntry, type NewSession, type ReadOptions, type SessionInfo, type SessionStore } from '../store.ts';
import { readForeign } from './foreign.ts';

/** What is imported in one append: a session up to this size is there whole, or not at all, if the process is killed. */
const AT_ONCE = 64_000_000;

/** What the first line of an export says. */
interface ExportHead {
  readonly holdfast: 'session';
  readonly version: 1;
  readonly id: string;
  readonly title: string;
  readonly created: number;
  /** The number of its last entry: a file that was cut off is known by it. */
  readonly last: number;
}

/**
 * A session as JSON lines, one at a time: what it is, then each entry with its number, time and hash. Throws BAD_STORE at an
 * entry that cannot be read; with `onBroken` it is left out, and the rest is for reading: an import refuses it.
 */
export async function* exportSession(
  store: SessionStore,
  session: string,
  options: Pick<ReadOptions, 'onBroken'> = {},
): AsyncGenerator<string> {
  const info = await store.info(session);
  if (!info) throw unknownSession(session);
  const { id, title, created, last } = info;
  yield JSON.stringify({ holdfast: 'session', version: 1, id, title, created, last } satisfies ExportHead);
  for await (const stored of eachEntry(store, session, options)) {
    if (stored.seq > last) return;
    yield JSON.stringify(stored);
  }
}

/**
 * Reads lines of `exportSession`, of a list of messages (JSON, or a line each), or of `sessions.messages` as pydantic-ai writes
 * it, into new sessions, and gives their ids. Nothing stays of a session that is not whole. `mask_keys` masks what looks like a key
 * in messages; an export stays as it is, or its hashes would not fit. Throws BAD_STATE with the line that is wrong, and
 * STORE_CONFLICT if a session of that id is there: `id` gives it another.
 */
export async function importSessions(
  store: SessionStore,
  lines: AsyncIterable<string> | Iterable<string>,
  { mask_keys = false, ...options }: NewSession & { readonly mask_keys?: boolean } = {},
): Promise<string[]> {
  const source = numbered(lines)[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done) throw badLine(1, 'there is nothing to import');
  const head = parsedJson(first.value.text);
  if (isExport(head)) return [await importExport(store, head, source, options)];
  const rest: string[] = [first.value.text];
  for (let next = await source.next(); !next.done; next = await source.next()) rest.push(next.value.text);
  const ids: string[] = [];
  for (const { session, entries, time = Date.now() } of readForeign(rest)) {
    const masked = mask_keys && session.title !== undefined ? { title: maskSecrets(session.title) } : {};
    const { id } = await created(store, { ...session, ...masked, ...options });
    const copy = createCopier(store, id, 0, AT_ONCE);
    const [model] = entries;
    const dialect = model?.type === 'model' ? model.dialect : undefined;
    const work = async () => {
      for (const entry of entries) await copy.add(mask_keys ? maskSaid(entry, dialect) : entry, time);
      await copy.flush();
    };
    ids.push(await orNothing(store, id, work));
  }
  return ids;
}

async function importExport(
  store: SessionStore,
  head: ExportHead,
  source: AsyncIterator<Line>,
  options: NewSession,
): Promise<string> {
  const { id } = await created(store, { id: head.id, title: head.title, created: head.created, ...options });
  return orNothing(store, id, async () => {
    const copy = createCopier(store, id, 0, AT_ONCE);
    let [last, hash, line] = [0, NO_HASH, 1];
    for (let next = await source.next(); !next.done; next = await source.next()) {
      line = next.value.number;
      const stored = storedLine(line, next.value.text);
      const { seq, time, entry } = stored;
      if (seq !== last + 1) throw badLine(line, `entry ${seq} stands where ${last + 1} belongs`);
      hash = chainHash(hash, seq, time, JSON.stringify(entry));
      if (stored.hash !== hash) throw badLine(line, `entry ${seq} or one before it was changed: its hash does not fit`);
      last = await copy.add(entry, time);
    }
    await copy.flush();
    if (last !== head.last) throw badLine(line, `it ends with entry ${last} of ${head.last}: the file was cut off`);
  });
}

/** A new session, also in the place of one that an import made and was killed before it wrote. */
async function created(store: SessionStore, session: NewSession): Promise<SessionInfo> {
  if (session.id !== undefined && (await store.info(session.id))?.last === 0) await store.delete(session.id);
  return store.create(session);
}

/** A session that cannot be imported whole is not kept. */
async function orNothing(store: SessionStore, id: string, work: () => Promise<void>): Promise<string> {
  try {
    await work();
    return id;
  } catch (error) {
    await store.delete(id);
    throw error;
  }
}

interface Line {
  readonly number: number;
  readonly text: string;
}

async function* numbered(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of lines) {
    number++;
    if (text.trim() !== '') yield { number, text };
  }
}

function isExport(value: unknown): value is ExportHead {
  const { holdfast, version, id, created } = (value ?? {}) as Partial<ExportHead>;
  if (holdfast !== 'session') return false;
  if (version === 1 && typeof id === 'string' && typeof created === 'number') return true;
  throw badLine(1, `it is an export of version ${String(version)}, and this holdfast knows 1: update holdfast`);
}

function storedLine(number: number, text: string): StoredEntry {
  const { seq, time, hash, entry } = (parsedJson(text) ?? {}) as Partial<StoredEntry>;
  if (typeof seq === 'number' && typeof time === 'number' && typeof hash === 'string' && entry !== undefined)
    return { seq, time, hash, entry };
  throw badLine(number, 'it is no entry of a session');
}

function badLine(line: number, problem: string): HoldfastError {
  return new HoldfastError('BAD_STATE', `line ${line}: ${problem}. Nothing was imported`, { line });
}
