import {
  eachEntry,
  type Hit,
  linesOf,
  messageText,
  openResults,
  type PlacedMessage,
  type SessionInfo,
  type SessionStore,
  snippetOf,
  wordsIn,
} from '@holdfast/sessions';
import { HoldfastError, handleTarget, isHoldfastError, messageHandle } from 'holdfast';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { countOf } from '../flag-values.ts';
import { homeOf } from '../home.ts';
import { linesPhrase } from '../view/amounts.ts';
import { clean, shellWord } from '../view/clean.ts';
import { harmless, jsonText } from '../view/harmless.ts';
import { wrapProse } from '../view/prose.ts';
import { cut } from '../view/text.ts';
import { findSession, type StoreFlags, withStore } from './open-store.ts';
import { isOutput, readOutput } from './output-files.ts';
import { speakerOf } from './readable-message.ts';
import { ago, messageLines, printIndented, textLines } from './session-text.ts';

/** What stands for every session on the command line. */
const ALL = 'all';

export interface RecallFlags extends StoreFlags {
  readonly limit?: string;
  readonly json?: boolean;
}

/** `recall`: finds passages by words, or messages and outputs by handle. Exits with 1 if nothing is found. */
export async function recall(
  session: string,
  words: readonly string[],
  flags: RecallFlags,
  context: Context,
): Promise<void> {
  const limit = countOf(flags.limit, '--limit', 5);
  const isFound = await withStore(flags, context, async (store) => {
    const id = session === ALL ? undefined : (await namedSession(store, session, words)).id;
    const [only = ''] = words;
    if (id !== undefined && words.length === 1 && isMessage(only)) {
      const messages = await messagesOf(store, id, only);
      const results = messages.length > 0 ? [] : await openHits(store, id, only);
      if (results.length > 0) await showHits(results, undefined, store, flags, context);
      else await showMessages(messages, id, only, store, flags, context);
      return results.length + messages.length > 0;
    }
    const output = id === undefined || words.length > 1 ? undefined : readOutput(homeOf(context), id, only);
    if (output !== undefined) {
      context.print(flags.json ? jsonText({ output: { handle: only, text: output } }) : harmless(output));
      return true;
    }
    const found = await store.search(words.join(' '), { limit, ...(id === undefined ? {} : { session: id }) });
    const first = id === undefined ? [] : await openHits(store, id, words.join(' '));
    const best = [...first, ...found].slice(0, limit);
    const hits = id === undefined ? await Promise.all(best.map((hit) => originalOf(store, hit))) : best;
    await showHits(hits, id === undefined ? Date.now() : undefined, store, flags, context);
    if (hits.length === 0 && !flags.json)
      context.tell(
        isOutput(words.join(' ')) ? `this session has no output ${only}` : 'no messages contain these words',
      );
    return hits.length > 0;
  });
  if (!isFound) context.end(EXIT.failed);
}

/** What to say if there is nothing after the first word. Pure. */
export function nothingAsked(first: string): string {
  if (first === ALL) return 'pass words to search for: holdfast recall all WORDS';
  const how = 'pass words to search for, or a handle: holdfast recall SESSION WORDS; ';
  return `${isHandle(first) ? '' : how}${sessionHint(first)}`;
}

/** What to type instead of a first word that names no session. Pure. */
function sessionHint(name: string, words: readonly string[] = []): string {
  if (isHandle(name)) return `a handle needs its session: holdfast recall SESSION ${shellWord(name)}`;
  return `to search all sessions: holdfast recall ${[ALL, name, ...words].map(shellWord).join(' ')}`;
}

function isHandle(name: string): boolean {
  return isMessage(name) || isOutput(name);
}

/** True for a handle of messages. Pure. */
function isMessage(handle: string): boolean {
  return handleTarget(handle) !== undefined || /^#\d+$/.test(handle);
}

/** The session named first. Its error says what else the name may be. */
async function namedSession(store: SessionStore, name: string, words: readonly string[]): Promise<SessionInfo> {
  try {
    return await findSession(store, name);
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'UNKNOWN_SESSION') throw error;
    throw new HoldfastError(error.code, `${error.message}; ${sessionHint(name, words)}`, error.details, error);
  }
}

/** The hit in the session where it was said, if this one is a fork that copied it. */
async function originalOf(store: SessionStore, hit: Hit): Promise<Hit> {
  const { items } = await store.read(hit.session, { types: ['fork'], limit: 1 });
  const fork = items[0]?.entry;
  if (fork?.type !== 'fork' || hit.seq > fork.entries + 1 || !(await store.info(fork.session))) return hit;
  // A broken original must not hide the copy.
  const said = await store.message(fork.session, hit.handle).catch(() => undefined);
  if (!said || !messageText(said.message).includes(hit.text)) return hit;
  return originalOf(store, { ...hit, session: fork.session, seq: said.seq });
}

/** True for a message that a later `/undo` took back. */
async function isUndone(store: SessionStore, { session, seq, index }: Pick<Hit, 'session' | 'seq' | 'index'>) {
  for await (const { entry } of eachEntry(store, session, { types: ['rewind'], from: seq }))
    if (entry.type === 'rewind' && entry.to <= index) return true;
  return false;
}

const TITLE_COLUMNS = 40;

/** `now`: also says which session each is from, and how old that is. */
async function showHits(
  hits: readonly Hit[],
  now: number | undefined,
  store: SessionStore,
  { json = false }: RecallFlags,
  context: Context,
): Promise<void> {
  if (json) return context.print(jsonText({ passages: hits }));
  for (const hit of hits) {
    const info = now === undefined ? undefined : await store.info(hit.session);
    const place = `${info ? `${hit.session} ` : ''}${hit.handle}, ${linesPhrase(hit.lines)}`;
    const origin = info && now !== undefined ? originPhrase(info, now) : '';
    await printHeading(place, origin, hit, store, context);
    printIndented(textLines(hit.text, true), context);
    context.print('');
  }
}

async function printHeading(
  text: string,
  known: string,
  at: Pick<Hit, 'session' | 'seq' | 'index'>,
  store: SessionStore,
  { columns, paint, print }: Context,
): Promise<void> {
  const more = [(await isUndone(store, at)) ? 'undone' : '', known].filter((part) => part !== '').join('; ');
  print(wrapProse(`${paint.bold(text)}${more === '' ? '' : ` (${more})`}`, columns));
}

/** `chat, 3d ago: Mend the parser`. Pure. */
function originPhrase({ kind, title, updated }: SessionInfo, now: number): string {
  const name = cut(clean(title), TITLE_COLUMNS);
  return `${kind ?? 'chat'}, ${ago(updated, now)}${name === '' ? '' : `: ${name}`}`;
}

/** Tool results that are not part of a message yet, and so not indexed: by handle, or by containing all words. */
async function openHits(store: SessionStore, session: string, words: string): Promise<Hit[]> {
  const asked = new Set(wordsIn(words));
  const results = asked.size === 0 ? [] : await openResults(store, session);
  const index = results.length === 0 ? 0 : ((await store.info(session))?.messages ?? 0);
  return results.flatMap(({ seq, text }) => {
    const held = new Set(wordsIn(text));
    if (words !== `#${seq}` && ![...asked].every((word) => held.has(word))) return [];
    const lines = linesOf(text, { start: 0, end: text.length });
    return [{ session, seq, index, handle: `#${seq}`, lines, text, snippet: snippetOf(text, asked) }];
  });
}

async function messagesOf(store: SessionStore, id: string, handle: string): Promise<PlacedMessage[]> {
  const { index: from, revision, to } = handleTarget(handle) ?? {};
  const only = from === undefined ? handle : messageHandle(from, revision);
  if (from === undefined || !to) return [await store.message(id, only)].filter((one) => one !== undefined);
  const found: PlacedMessage[] = [];
  for (let at = from; at <= to.index; at++) {
    const one = (await store.message(id, messageHandle(at, revision))) ?? (await store.message(id, messageHandle(at)));
    if (one === undefined) break;
    found.push(one);
  }
  return found;
}

async function showMessages(
  messages: readonly PlacedMessage[],
  session: string,
  handle: string,
  store: SessionStore,
  { json = false }: RecallFlags,
  context: Context,
): Promise<void> {
  if (json) return context.print(jsonText({ messages }));
  for (const one of messages) {
    await printHeading(`${one.handle} ${speakerOf(one.message)}`, '', { ...one, session }, store, context);
    printIndented(messageLines(one.message, true), context);
  }
  if (messages.length === 0) context.tell(`there is no message ${handle}`);
}
