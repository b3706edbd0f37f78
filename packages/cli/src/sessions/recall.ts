import type { PlacedMessage, SessionStore } from '@holdfast/agent/sessions';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { homeOf } from '../home.ts';
import { harmless, jsonText } from '../view/harmless.ts';
import { clean } from '../view/text.ts';
import { messageLines, speakerOf } from './lines.ts';
import { countOf, findSession, type StoreFlags, withStore } from './open-store.ts';
import { isOutput, readOutput } from './output-files.ts';

export interface RecallFlags extends StoreFlags {
  readonly limit?: string;
  readonly json?: boolean;
}

const HANDLE = /^m(\d{1,9})(~\d+)?(?:-m(\d{1,9})(?:~\d+)?)?$|^#\d+$/;

/** `recall`: passages by words, or messages and outputs by handle. Ends with 1 if there is nothing. */
export async function recall(
  session: string,
  words: readonly string[],
  flags: RecallFlags,
  context: Context,
): Promise<void> {
  const limit = countOf(flags.limit, '--limit', 5);
  const isFound = await withStore(flags, context, async (store) => {
    const id = session === 'all' ? undefined : (await findSession(store, session)).id;
    const [only = ''] = words;
    if (id !== undefined && words.length === 1 && HANDLE.test(only))
      return showMessages(await messagesOf(store, id, only), only, flags, context);
    const output = id === undefined || words.length > 1 ? undefined : readOutput(homeOf(context), id, only);
    if (output !== undefined) {
      context.print(flags.json ? jsonText({ output: { handle: only, text: output } }) : harmless(output));
      return true;
    }
    const hits = await store.search(words.join(' '), { limit, ...(id === undefined ? {} : { session: id }) });
    if (flags.json) context.print(jsonText({ passages: hits }));
    else
      for (const hit of hits) {
        const place = `${id === undefined ? `${hit.session} ` : ''}${hit.handle}, lines ${hit.lines.from} to ${hit.lines.to}`;
        context.print(context.paint.bold(place));
        for (const line of hit.text.split('\n')) context.print(`  ${clean(line)}`);
        context.print('');
      }
    if (hits.length === 0 && !flags.json)
      context.tell(isOutput(words.join(' ')) ? `no output ${only} is kept here` : 'nothing was said with these words');
    return hits.length > 0;
  });
  if (!isFound) context.end(EXIT.failed);
}

async function messagesOf(store: SessionStore, id: string, handle: string): Promise<PlacedMessage[]> {
  const [, from, era = '', to] = HANDLE.exec(handle) ?? [];
  if (to === undefined) return [await store.message(id, handle)].filter((one) => one !== undefined);
  const found: PlacedMessage[] = [];
  for (let at = Number(from); at <= Number(to); at++) {
    const one = (await store.message(id, `m${at}${era}`)) ?? (await store.message(id, `m${at}`));
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
      for (const line of messageLines(message, true)) context.print(`  ${line}`);
    }
  if (messages.length === 0 && !json) context.tell(`nothing is kept as ${handle}`);
  return messages.length > 0;
}
