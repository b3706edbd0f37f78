import { HoldfastError, maskSecrets } from 'holdfast';
import { chainHash, NO_HASH, type StoredEntry } from '../entry.ts';
import { unknownSession } from '../log/head.ts';
import { maskForLog } from '../log/mask-entry.ts';
import { createCopier } from '../log/writer.ts';
import { parsedJson } from '../parsed-json.ts';
import { eachEntry, type NewSession, type ReadOptions, type SessionInfo, type SessionStore } from '../store.ts';
import { readForeign } from './foreign.ts';

/** Characters imported in one append: sessions up to this size are imported whole or not at all, even if killed. */
const AT_ONCE = 64_000_000;

/** The first line of an export. */
interface ExportHead {
  readonly holdfast: 'session';
  readonly version: 1;
  readonly id: string;
  readonly title: string;
  readonly created: number;
  /** The number of its last entry, which reveals a truncated file. */
  readonly last: number;
}

/**
 * A session as JSON lines: a header, then each entry with its number, time and hash. Throws BAD_STORE at an unreadable entry;
 * with `onBroken` it is skipped, and the export cannot be imported.
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
 * Imports lines of `exportSession`, a list of messages (JSON, or one per line), or pydantic-ai's `sessions.messages` into new
 * sessions, and returns their ids. Keeps nothing of a session that is incomplete. `mask_keys` masks keys in messages; an export
 * stays unchanged, as its hashes require. Throws BAD_STATE with the wrong line, and STORE_CONFLICT if the id is taken: pass
 * another `id`.
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
      for (const entry of entries) await copy.add(mask_keys ? maskForLog(entry, dialect) : entry, time);
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
      if (seq !== last + 1) throw badLine(line, `expected entry ${last + 1}, found ${seq}`);
      hash = chainHash(hash, seq, time, JSON.stringify(entry));
      if (stored.hash !== hash)
        throw badLine(line, `entry ${seq} or one before it was changed: its hash does not match`);
      last = await copy.add(entry, time);
    }
    await copy.flush();
    if (last !== head.last) throw badLine(line, `it ends with entry ${last} of ${head.last}: the file is truncated`);
  });
}

/** Creates a session, replacing an empty one that a killed import left. */
async function created(store: SessionStore, session: NewSession): Promise<SessionInfo> {
  if (session.id !== undefined && (await store.info(session.id))?.last === 0) await store.delete(session.id);
  return store.create(session);
}

/** Deletes the session if `work` fails. */
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
  throw badLine(1, `it is an export of version ${String(version)}, but this holdfast reads version 1: update holdfast`);
}

function storedLine(number: number, text: string): StoredEntry {
  const { seq, time, hash, entry } = (parsedJson(text) ?? {}) as Partial<StoredEntry>;
  if (typeof seq === 'number' && typeof time === 'number' && typeof hash === 'string' && entry !== undefined)
    return { seq, time, hash, entry };
  throw badLine(number, 'it is not a session entry');
}

function badLine(line: number, problem: string): HoldfastError {
  return new HoldfastError('BAD_STATE', `line ${line}: ${problem}. Nothing was imported`, { line });
}
