import { join } from 'node:path';
import type { FoundMessage } from '@holdfast/sessions';
import { handleTarget, messageHandle } from 'holdfast';
import { WrongUse } from '../../failure.ts';
import { isOutput, outputsFolder, readOutput } from '../../sessions/output-files.ts';
import { speakerOf } from '../../sessions/readable-message.ts';
import { messageLines } from '../../sessions/session-text.ts';
import { counted, linesPhrase } from '../../view/amounts.ts';
import { shellWord } from '../../view/clean.ts';
import { harmless } from '../../view/harmless.ts';
import { cut, wrapText } from '../../view/text.ts';
import { firstRows, saidRows } from '../output/rows.ts';
import { type CommandContext, say } from './command.ts';

const HITS = 5;
const HIT_ROWS = 8;
const MOST_MESSAGES = 20;
const OUTPUT_ROWS = 400;
const OUTPUT_CHARS = 40_000;

export async function pin(args: string, talk: CommandContext): Promise<undefined> {
  const place = args === '' ? undefined : await placeOf(args, '/pin', talk);
  const { index, text } = await talk.chat.pin(place);
  return say(talk.face, `Pinned m${index}: ${firstRows(text, 60, 1)[0] ?? ''}`);
}

export async function unpin(args: string, talk: CommandContext): Promise<undefined> {
  const place = await placeOf(args, '/unpin', talk);
  await talk.chat.unpin(place);
  return say(talk.face, `Unpinned m${place}.`);
}

async function placeOf(args: string, command: string, { chat, face }: CommandContext): Promise<number> {
  const [, digits] = /^m?(\d{1,9})$/.exec(args) ?? [];
  if (digits !== undefined) return Number(digits);
  face.print(saidRows(await chat.said(8), face.columns, face.style, 1));
  throw new WrongUse(`${command} needs the number of a message, such as ${command} 4`);
}

export async function recall(asked: string, { chat, face, home }: CommandContext): Promise<undefined> {
  if (asked === '') throw new WrongUse('/recall needs words, or a handle such as m41 or o3');
  const output = chat.session === undefined ? undefined : readOutput(home, chat.session, asked);
  if (output !== undefined) return showOutput(asked, output, outputsFolder(home, chat.session ?? ''), face);
  const { colours } = face.style;
  const show = ({ handle, message }: FoundMessage) => {
    const text = messageLines(message, true).join('\n');
    const rows = wrapText(text, face.columns - 2).map((row) => `  ${row}`);
    face.print([colours.bold(`${handle} ${speakerOf(message)}`), ...rows]);
  };
  const run = handleTarget(asked);
  if (run?.to) {
    const [first, last] = [run.index, Math.min(run.to.index, run.index + MOST_MESSAGES - 1)];
    for (let index = first; index <= last; index++) {
      const { message } = await chat.recall(messageHandle(index, run.revision), 1);
      if (message) show(message);
    }
    return last < run.to.index ? say(face, `More: /recall m${last + 1}-m${run.to.index}`) : undefined;
  }
  const { message, hits } = await chat.recall(asked, HITS);
  if (message) {
    show(message);
    return undefined;
  }
  if (hits.length === 0)
    return say(
      face,
      isOutput(asked)
        ? `This session has no output ${asked}.`
        : `No message of this session contains these words. In your other sessions: holdfast recall all ${shellWord(asked)}`,
    );
  let long: string | undefined;
  for (const { handle, lines, text } of hits) {
    const rows = firstRows(text.trim(), face.columns - 2, HIT_ROWS);
    if (rows.length > HIT_ROWS) long ??= handle;
    face.print([colours.bold(cut(`${handle}, ${linesPhrase(lines)}`, face.columns)), ...rows.map((row) => `  ${row}`)]);
  }
  return long === undefined ? undefined : say(face, `/recall ${long} shows that message in full.`);
}

function showOutput(handle: string, output: string, folder: string, face: CommandContext['face']): undefined {
  const rows = wrapText(harmless(output.slice(0, OUTPUT_CHARS)), face.columns - 2);
  const shown = rows.slice(0, OUTPUT_ROWS).map((row) => `  ${row}`);
  face.print([face.style.colours.bold(handle), ...shown]);
  if (rows.length <= OUTPUT_ROWS && output.length <= OUTPUT_CHARS) return undefined;
  return say(face, `Only the start is shown; all ${output.length} characters: ${join(folder, `${handle}.txt`)}`);
}

export async function undo(_: string, { chat, face }: CommandContext): Promise<undefined> {
  const undone = await chat.undo();
  if (!undone) return say(face, 'There is no prompt to undo.');
  face.fill(undone.prompt);
  const back = `Back to before your newest prompt: removed ${counted(undone.messages, 'message')}.`;
  // More than a prompt and its answer: tools were called.
  const files = undone.messages > 2 ? ' Files stay as the tools left them.' : '';
  return say(
    face,
    `${back}${foldsUndone(undone.folds)}${files} Edit the prompt and send it, or type /redo on an empty line (Ctrl-U) to bring the answer back.`,
  );
}

export async function redo(_: string, { chat, face }: CommandContext): Promise<undefined> {
  const redone = await chat.redo();
  if (!redone)
    return say(
      face,
      'There is nothing to redo: /redo takes back an /undo, until your next prompt. /recompact redoes a fold.',
    );
  return say(face, `Brought back your prompt and its answer: ${counted(redone.messages, 'message')}.`);
}

function foldsUndone(folds: number): string {
  if (folds === 0) return '';
  const count = counted(Math.abs(folds), 'fold');
  return folds > 0 ? ` Also undid ${count} made since.` : ` Also redid ${count} undone since.`;
}
