import { resolve } from 'node:path';
import type { SessionInfo, SessionStore } from '@holdfast/sessions';
import { WrongUse } from '../../failure.ts';
import { writeSession } from '../../sessions/commands.ts';
import { copyOutputs } from '../../sessions/output-files.ts';
import { tableOf } from '../../sessions/session-text.ts';
import { plainStyle } from '../../view/style.ts';
import { cut } from '../../view/text.ts';
import { type CommandContext, say } from './command.ts';

const LISTED = 20;
/** Columns of the mark before the current session. */
const MARK = 2;

export async function sessions(_: string, { store, face, chat, isKept }: CommandContext): Promise<undefined> {
  const list = await store.list({ limit: LISTED });
  if (list.length === 0) return say(face, 'No sessions yet.');
  const rows = tableOf(
    await Promise.all(list.map((info) => withMark(info, store))),
    Date.now(),
    plainStyle.colours,
    face.columns - MARK,
  ).split('\n');
  face.print(
    rows.map((row, i) =>
      cut(`${list[i - 1]?.id !== undefined && list[i - 1]?.id === chat.session ? '*' : ' '} ${row}`, face.columns),
    ),
  );
  return isKept ? say(face, 'To continue one: holdfast chat --resume ID') : undefined;
}

/** A copy has the title of its original, so that nobody could tell them apart. */
async function withMark(info: SessionInfo, store: SessionStore): Promise<SessionInfo> {
  const { items } = await store.read(info.id, { types: ['fork'], limit: 1 });
  return items.length === 0 ? info : { ...info, title: `fork: ${info.title}` };
}

export async function fork(_: string, { chat, face, home, isKept }: CommandContext): Promise<undefined> {
  if (!isKept) throw new WrongUse('/fork: a store in memory is not saved: /export writes this session to a file');
  const id = await chat.fork();
  if (chat.session !== undefined) copyOutputs(home, chat.session, id);
  return say(face, `Forked. To open the copy: holdfast chat --resume ${id}`);
}

export async function exported(file: string, { chat, store, face, cwd }: CommandContext): Promise<undefined> {
  if (chat.session === undefined) return say(face, 'Nothing to export yet.');
  const path = resolve(cwd, file || `holdfast-${chat.session}.jsonl`);
  return say(face, await writeSession(path, store, chat.session));
}

/** `/clear`: a new conversation; the old one stays in the store. */
export async function clear(_: string, talk: CommandContext): Promise<undefined> {
  const { session } = talk.chat;
  if (session === undefined) return say(talk.face, 'This is a new conversation already.');
  await talk.startOver();
  const old = talk.isKept
    ? `the old one: holdfast chat --resume ${session}`
    : 'the old one is gone: its store is in memory';
  return say(talk.face, `A new conversation; ${old}`);
}
