import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import {
  type BrokenEntry,
  checkFile,
  databaseLines,
  eachMessage,
  exportSession,
  importSessions,
  isDatabase,
  openResults,
  rebuildIndexes,
  requestAt,
  requestNumber,
  type SessionInfo,
  type SessionStore,
  type Verified,
  verifySession,
} from '@holdfast/sessions';
import { isHoldfastError } from 'holdfast';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { orWrongUse, WrongUse } from '../failure.ts';
import { countOf, timeOf } from '../flag-values.ts';
import { homeOf } from '../home.ts';
import { counted } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import { harmlessJson, jsonText } from '../view/harmless.ts';
import { wrapProse } from '../view/prose.ts';
import { checkKept, findSession, isThere, type StoreFlags, settingsOf, storeFile, withStore } from './open-store.ts';
import { removeOutputs } from './output-files.ts';
import { readableMessage, speakerOf } from './readable-message.ts';
import { bytes, detailsOf, factsOf, LABEL, messageLines, printIndented, tableOf, textLines } from './session-text.ts';

interface Json extends StoreFlags {
  readonly json?: boolean;
}
export interface ListFlags extends Json {
  readonly limit?: string;
}
export interface ShowFlags extends Json {
  readonly last?: string;
  readonly full?: boolean;
  readonly request?: string;
}
export interface ExportFlags extends StoreFlags {
  readonly output?: string;
}
export interface ImportFlags extends Json {
  readonly id?: string;
}
export interface PruneFlags extends Json {
  readonly olderThan: string;
  readonly yes?: boolean;
}

/** `sessions list`. */
export async function list(flags: ListFlags, context: Context): Promise<void> {
  const limit = countOf(flags.limit, '--limit', flags.json ? 0 : 50);
  const some = limit === 0 ? {} : { limit };
  const sessions = isThere(flags, context) ? await withStore(flags, context, (store) => store.list(some)) : [];
  if (flags.json) context.print(jsonText({ sessions }));
  else if (sessions.length === 0) context.print('No sessions yet.');
  else context.print(tableOf(sessions, Date.now(), context.paint, context.columns));
}

/** `sessions show`. */
export async function show(id: string, flags: ShowFlags, context: Context): Promise<void> {
  const last = countOf(flags.last, '--last', 10);
  await withStore(flags, context, async (store) => {
    const info = await findSession(store, id);
    if (flags.request !== undefined) return showRequest(store, info, flags.request, flags, context);
    const { items } = await store.history(info.id, { from: Math.max(0, info.messages - last), limit: last });
    const results = last === 0 ? [] : await openResults(store, info.id);
    if (flags.json) {
      context.print(jsonText({ session: info, messages: items, ...(results.length > 0 ? { results } : {}) }));
      return;
    }
    for (const line of detailsOf(info, Date.now())) context.print(wrapProse(line, context.columns, ' '.repeat(LABEL)));
    const earlier = info.messages - items.length;
    if (earlier > 0)
      context.print(
        context.paint.dim(`\n… ${counted(earlier, 'earlier message')} (--last ${info.messages} shows all)`),
      );
    for (const { handle, message } of items) {
      context.print(`\n${context.paint.bold(`${handle} ${speakerOf(message)}`)}`);
      printIndented(messageLines(message, flags.full ?? false), context);
    }
    for (const { seq, text, failed } of results) {
      context.print(
        `\n${context.paint.bold(`#${seq} ${failed ? 'failed result' : 'result'}, before the process ended`)}`,
      );
      printIndented(textLines(text, flags.full ?? false), context);
    }
  });
}

/** A request as it was sent: with `--json` also when, and what it used. */
async function showRequest(
  store: SessionStore,
  { id }: SessionInfo,
  nth: string,
  { json }: Json,
  context: Context,
): Promise<void> {
  if (nth !== 'last' && !/^[1-9]\d{0,8}$/.test(nth))
    throw new WrongUse(`invalid --request "${nth}": expected a whole number from 1 up, or \`last\``);
  const seq = await requestNumber(store, id, nth === 'last' ? -1 : Number(nth));
  if (seq === undefined) {
    const { items } = await store.read(id, { types: ['request'], limit: 1 });
    const none = `session ${id} has no requests: providers that run a program record none`;
    throw new WrongUse(items.length === 0 ? none : `session ${id} has no request ${nth}: \`last\` is the newest`);
  }
  const { body, ...request } = await requestAt(store, id, seq);
  if (request.masked) context.tell('keys are masked in this request');
  context.print(json ? jsonText({ session: id, request: { ...request, body: JSON.parse(body) } }) : harmlessJson(body));
}

/** `sessions export`. */
export async function exportTo(id: string, flags: ExportFlags, context: Context): Promise<void> {
  await withStore(flags, context, async (store) => {
    const { id: found } = await findSession(store, id);
    const onBroken = ({ seq, type, problem }: BrokenEntry) => {
      context.tell(`skipped entry ${seq} (${type}), which is broken: ${problem}`);
      context.end(EXIT.failed);
    };
    if (flags.output === undefined)
      for await (const line of exportSession(store, found, { onBroken })) context.print(harmlessJson(line));
    else context.say(await writeSession(resolve(context.cwd, flags.output), store, found, onBroken));
  });
}

/**
 * Writes a session to a new file and says so: as readable text if the name ends in .md or .txt, otherwise as JSON lines, which
 * can be imported. Throws WrongUse if the file already exists.
 */
export async function writeSession(
  path: string,
  store: SessionStore,
  id: string,
  onBroken?: (entry: BrokenEntry) => void,
): Promise<string> {
  if (/\.(?:md|txt)$/i.test(path)) {
    const messages = (await writeLines(path, readableLines(store, id))) - 1;
    return `Wrote ${path}: ${counted(messages, 'message')} as readable text. To import the session elsewhere, export it to a .jsonl file.`;
  }
  const lines = await writeLines(path, exportSession(store, id, onBroken ? { onBroken } : {}));
  return `Wrote ${path}: ${lines - 1} log entries, for \`holdfast sessions import\`.`;
}

/** A heading, then each message with its handle and role. */
async function* readableLines(store: SessionStore, id: string): AsyncGenerator<string> {
  const info = await store.info(id);
  yield `# ${clean(info?.title ?? '') || id}\n\n${
    info
      ? factsOf(info, Date.now())
          .map(([label, value]) => `- ${label}: ${value}`)
          .join('\n')
      : ''
  }`;
  for await (const { handle, message } of eachMessage(store, id))
    yield `\n## ${handle} ${speakerOf(message)}\n\n${readableMessage(message)}`;
}

/** Writes lines to a new file that only its owner can read, and counts them. Throws WrongUse if it already exists. */
async function writeLines(path: string, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  async function* counted(): AsyncGenerator<string> {
    for await (const line of lines) {
      count++;
      yield `${line}\n`;
    }
  }
  try {
    await pipeline(counted(), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || isHoldfastError(error)) throw error;
    if (code === 'EEXIST') throw new WrongUse(`${path} already exists: choose another name`, error);
    throw new WrongUse(`cannot write ${path} (${code}): choose another place`, error);
  }
  return count;
}

/** `sessions import`. */
export async function importFrom(file: string, flags: ImportFlags, context: Context): Promise<void> {
  checkKept(flags, context);
  const path = resolve(context.cwd, file);
  const { mask_keys } = settingsOf(flags, context);
  const lines = linesOf(path);
  const named = { mask_keys, ...(flags.id === undefined ? {} : { id: flags.id }) };
  await withStore(
    flags,
    context,
    async (store) => {
      await printImported(store, await importSessions(store, lines, named), flags, context);
    },
    true,
  );
}

async function printImported(
  store: SessionStore,
  ids: readonly string[],
  flags: Json,
  context: Context,
): Promise<void> {
  const sessions = await Promise.all(ids.map((id) => store.info(id)));
  if (flags.json) context.print(jsonText({ sessions }));
  else for (const info of sessions) if (info) context.print(`${info.id}: ${counted(info.messages, 'message')}.`);
}

function linesOf(path: string): AsyncIterable<string> {
  if (orWrongUse(`read ${path}`, 'pass a file that exists', () => isDatabase(path))) return databaseLines(path);
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

/** `sessions prune`: a dry run unless `--yes` is given. */
export async function prune(flags: PruneFlags, context: Context): Promise<void> {
  const before = Date.now() - timeOf(flags.olderThan, '--older-than');
  const work = (store: SessionStore) =>
    flags.yes ? deleteUnused(store, before, homeOf(context)) : unused(store, before);
  const old = isThere(flags, context) ? await withStore(flags, context, work) : [];
  if (flags.json) {
    context.print(jsonText({ deleted: flags.yes === true, sessions: old }));
    return;
  }
  const size = bytes(old.reduce((sum, one) => sum + one.bytes, 0));
  if (old.length > 0) context.print(tableOf(old, Date.now(), context.paint, context.columns));
  const what = `${counted(old.length, 'session')}, ${size}`;
  context.say(flags.yes ? `Deleted: ${what}.` : `Would delete: ${what}. Nothing was deleted; --yes deletes them.`);
}

async function unused(store: SessionStore, before: number): Promise<SessionInfo[]> {
  return (await store.list()).filter(({ updated }) => updated < before);
}

/** Deletes and returns the sessions not used since `before`, except those used in the meantime. */
export async function deleteUnused(store: SessionStore, before: number, home: string): Promise<SessionInfo[]> {
  const deleted: SessionInfo[] = [];
  for (const { id } of await unused(store, before)) {
    const now = await store.info(id);
    if (!now || now.updated >= before) continue;
    await store.delete(id);
    removeOutputs(home, id);
    deleted.push(now);
  }
  return deleted;
}

/** `sessions delete`. */
export async function remove(id: string, flags: Json, context: Context): Promise<void> {
  const info = await withStore(flags, context, async (store) => {
    const found = await findSession(store, id);
    if (found.id !== id) throw new WrongUse(`${id} is only the start of ${found.id}: pass the full id to delete it`);
    await store.delete(id);
    removeOutputs(homeOf(context), id);
    return found;
  });
  if (flags.json) context.print(jsonText({ deleted: true, sessions: [info] }));
  else context.say(`Deleted: ${info.id} (${clean(info.title) || 'no title'}, ${counted(info.messages, 'message')}).`);
}

/** `sessions verify`: one session, or all. */
export async function verify(id: string | undefined, flags: Json, context: Context): Promise<void> {
  await mendIndexes(flags, context);
  const results = await withStore(flags, context, async (store) => {
    const found: Verified[] = [];
    for (const info of await chosen(store, id)) {
      try {
        found.push(await verifySession(store, info.id));
      } catch (error) {
        // Ignore a session that was deleted in the meantime.
        if (id !== undefined || !isHoldfastError(error) || error.code !== 'UNKNOWN_SESSION') throw error;
      }
    }
    return found;
  });
  const sound = results.every(({ problems }) => problems.length === 0);
  if (flags.json) context.print(jsonText({ sound, sessions: results }));
  else for (const one of results) context.print(verdictOf(one, context));
  context.end(sound ? EXIT.done : EXIT.failed);
}

/** Builds the indexes of a store again if one is damaged, and nothing else is. */
async function mendIndexes(flags: StoreFlags, context: Context): Promise<void> {
  const file = storeFile(flags, context);
  if (file === undefined || !existsSync(file)) return;
  const { damage, isDerived } = await checkFile(file);
  if (damage.length === 0 || !isDerived) return;
  await rebuildIndexes(file);
  context.tell(`an index of ${file} was damaged: built the search index again, and all others`);
}

async function chosen(store: SessionStore, id: string | undefined): Promise<SessionInfo[]> {
  return id === undefined ? await store.list() : [await findSession(store, id)];
}

function verdictOf({ session, entries, messages, folds, handles, problems }: Verified, { paint }: Context): string {
  const counts = `${entries} entries, ${counted(messages, 'message')}, ${counted(folds, 'fold')}, ${counted(handles, 'handle')}`;
  if (problems.length === 0) return `${paint.green('ok     ')} ${session}: ${counts}`;
  return [
    `${paint.red('problem')} ${session}: ${counts}`,
    ...problems.map((problem) => `        ${clean(problem)}`),
  ].join('\n');
}
