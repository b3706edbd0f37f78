import {
  type Hit,
  linesOf,
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
import { shellWord } from '../view/clean.ts';
import { harmless, jsonText } from '../view/harmless.ts';
import { findSession, type StoreFlags, withStore } from './open-store.ts';
import { isOutput, readOutput } from './output-files.ts';
import { speakerOf } from './readable-message.ts';
import { messageLines, printIndented, textLines } from './session-text.ts';

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
    const id = session === 'all' ? undefined : (await namedSession(store, session, words)).id;
    const [only = ''] = words;
    if (id !== undefined && words.length === 1 && (handleTarget(only) || /^#\d+$/.test(only))) {
      const messages = await messagesOf(store, id, only);
      const results = messages.length > 0 ? [] : await openHits(store, id, only);
      if (results.length === 0) return showMessages(messages, only, flags, context);
      showHits(results, id, flags, context);
      return true;
    }
    const output = id === undefined || words.length > 1 ? undefined : readOutput(homeOf(context), id, only);
    if (output !== undefined) {
      context.print(flags.json ? jsonText({ output: { handle: only, text: output } }) : harmless(output));
      return true;
    }
    const found = await store.search(words.join(' '), { limit, ...(id === undefined ? {} : { session: id }) });
    const hits = [...(id === undefined ? [] : await openHits(store, id, words.join(' '))), ...found].slice(0, limit);
    showHits(hits, id, flags, context);
    if (hits.length === 0 && !flags.json)
      context.tell(
        isOutput(words.join(' ')) ? `this session has no output ${only}` : 'no messages contain these words',
      );
    return hits.length > 0;
  });
  if (!isFound) context.end(EXIT.failed);
}

/** The session named first. Its error suggests to search all sessions, because the name may be a word to look for. */
async function namedSession(store: SessionStore, name: string, words: readonly string[]): Promise<SessionInfo> {
  try {
    return await findSession(store, name);
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'UNKNOWN_SESSION') throw error;
    const all = ['all', name, ...words].map(shellWord).join(' ');
    const text = `${error.message}; to search all sessions: holdfast recall ${all}`;
    throw new HoldfastError(error.code, text, error.details, error);
  }
}

function showHits(
  hits: readonly Hit[],
  session: string | undefined,
  { json = false }: RecallFlags,
  context: Context,
): void {
  if (json) context.print(jsonText({ passages: hits }));
  else
    for (const hit of hits) {
      const place = `${session === undefined ? `${hit.session} ` : ''}${hit.handle}, ${linesPhrase(hit.lines)}`;
      context.print(context.paint.bold(place));
      printIndented(textLines(hit.text, true), context);
      context.print('');
    }
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

function showMessages(
  messages: readonly PlacedMessage[],
  handle: string,
  { json = false }: RecallFlags,
  context: Context,
): boolean {
  if (json) context.print(jsonText({ messages }));
  else
    for (const { handle: name, message } of messages) {
      context.print(context.paint.bold(`${name} ${speakerOf(message)}`));
      printIndented(messageLines(message, true), context);
    }
  if (messages.length === 0 && !json) context.tell(`there is no message ${handle}`);
  return messages.length > 0;
}
