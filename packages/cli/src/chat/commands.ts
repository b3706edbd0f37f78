import { join, resolve } from 'node:path';
import type { Chat, Speaker } from '@holdfast/agent/chat';
import { nearest } from '@holdfast/agent/config';
import { exportSession, type SessionStore } from '@holdfast/sessions';
import { WrongUse } from '../failure.ts';
import { writeLines } from '../sessions/commands.ts';
import { copyOutputs, isOutput, outputsFolder, readOutput } from '../sessions/output-files.ts';
import { messageLines, speakerOf, tableOf } from '../sessions/session-text.ts';
import { counted } from '../view/amounts.ts';
import { harmless } from '../view/harmless.ts';
import { foldPhrase } from '../view/phrases.ts';
import { plainStyle, type Style } from '../view/style.ts';
import { cut, pad, wrapText } from '../view/text.ts';
import type { Opened } from './chat.ts';
import { contextRows, firstRows, receiptRows, saidRows } from './output/rows.ts';

/** A slash command. Help and completion are derived from these, too. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Its arguments, for help. */
  readonly args?: string;
  readonly about: string;
  /** Returns 'leave' to end the chat. Errors are printed, and the chat continues. */
  run(args: string, talk: CommandContext): Promise<'leave' | undefined>;
}

const LISTED = 20;
const HITS = 5;
const OUTPUT_ROWS = 400;
const OUTPUT_CHARS = 40_000;

/** All commands, in the order of `/help`. */
export const COMMANDS: readonly Command[] = [
  { name: 'sessions', about: 'list saved conversations, most recent first', run: sessions },
  {
    name: 'compact',
    args: '[focus]',
    about: 'fold (compact) the old part of the view now; shows the effect and asks first',
    run: compact,
  },
  { name: 'uncompact', about: 'undo the newest fold', run: uncompact },
  { name: 'recompact', aliases: ['redo'], about: 'redo the fold that was undone', run: recompact },
  { name: 'context', about: 'show what fills the context window', run: context },
  { name: 'pin', args: '[n]', about: 'protect message n, or your newest, from folds', run: pin },
  { name: 'unpin', args: 'n', about: 'let folds touch message n again', run: unpin },
  {
    name: 'recall',
    args: 'WORDS|HANDLE',
    about: 'find messages, folded or not; o3: a long tool output',
    run: recall,
  },
  { name: 'fork', about: 'copy this session into a new one', run: fork },
  { name: 'undo', about: 'go back to before your newest prompt and edit it', run: undo },
  { name: 'export', args: '[FILE]', about: 'write this session to a file as JSON lines', run: exported },
  { name: 'model', args: '[NAME]', about: 'show the model, or switch to another', run: model },
  { name: 'help', about: 'show this list', run: help },
  { name: 'exit', aliases: ['quit'], about: 'leave; the session is saved', run: async () => 'leave' },
];

/** User input: a command with its arguments, a prompt, or an unknown command. */
export type Input =
  | { readonly type: 'command'; readonly command: Command; readonly args: string }
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'unknown'; readonly text: string };

/** Tells commands from prompts. A leading `//` sends a prompt that starts with a slash. Pure. */
export function parseInput(text: string): Input {
  if (!/^\s*\//.test(text)) return { type: 'prompt', text };
  const plain = text.trimStart();
  if (plain.startsWith('//')) return { type: 'prompt', text: plain.slice(1) };
  const [, name = '', args = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(plain) ?? [];
  const command = findCommand(name);
  if (command) return { type: 'command', command, args: args.trim() };
  const meant = nearest(
    name,
    COMMANDS.flatMap((one) => [one.name, ...(one.aliases ?? [])]),
  );
  const hint = meant === undefined ? '/help lists them.' : `did you mean /${meant}?`;
  return { type: 'unknown', text: `unknown command /${name}: ${hint} To send it to the model, type //${name}` };
}

/** The same for piped input, where only a single line with a known command is one: file paths start with a slash, too. Pure. */
export function parsePipedInput(text: string): Exclude<Input, { type: 'unknown' }> {
  const [, name = ''] = /^\s*\/{1,2}(\S+)[^\n]*$/.exec(text) ?? [];
  const what = findCommand(name) ? parseInput(text) : undefined;
  return what && what.type !== 'unknown' ? what : { type: 'prompt', text };
}

function findCommand(name: string): Command | undefined {
  return COMMANDS.find((one) => one.name === name || one.aliases?.includes(name));
}

/** Full lines that complete the start of a line. Pure. */
export function completions(text: string, models: readonly string[]): string[] {
  const [, name, args] = /^\/(\S*)( .*)?$/.exec(text) ?? [];
  if (name === undefined) return [];
  if (args === undefined)
    return COMMANDS.filter((one) => one.name.startsWith(name)).map((one) => `/${one.name}${one.args ? ' ' : ''}`);
  if (name !== 'model') return [];
  return models.filter((one) => one.startsWith(args.trim())).map((one) => `/model ${one}`);
}

async function sessions(_: string, { store, face, chat }: CommandContext): Promise<undefined> {
  const list = await store.list({ limit: LISTED });
  if (list.length === 0) return say(face, 'No sessions yet.');
  const rows = tableOf(list, Date.now(), plainStyle.colours).split('\n');
  face.print(
    rows.map((row, i) =>
      cut(`${list[i - 1]?.id !== undefined && list[i - 1]?.id === chat.session ? '*' : ' '} ${row}`, face.columns),
    ),
  );
  return undefined;
}

async function compact(focus: string, { chat, face }: CommandContext): Promise<undefined> {
  const wanted = focus === '' ? {} : { focus };
  const preview = await chat.compact({ ...wanted, preview: true });
  if (preview.fold === 0) return say(face, `Nothing to fold: ${preview.why ?? 'the view is already small'}.`);
  face.print(receiptRows(preview, face.columns, face.style));
  if (!(await face.confirm('Fold like this?'))) return say(face, 'Nothing was folded.');
  const receipt = await chat.compact(wanted);
  if (receipt.summary !== undefined)
    face.print(['Summary:', ...wrapText(harmless(receipt.summary), face.columns - 2).map((row) => `  ${row}`)]);
  const why = receipt.why === undefined ? '' : ` It could not get any smaller: ${receipt.why}.`;
  return say(face, `Done, ${foldPhrase(receipt, face.style.marks.arrow)}.${why} /uncompact undoes it.`);
}

async function uncompact(_: string, { chat, face }: CommandContext): Promise<undefined> {
  const receipt = await chat.uncompact();
  if (!receipt) return say(face, 'There is no fold to undo.');
  face.print(receiptRows(receipt, face.columns, face.style));
  return say(face, 'Undone. /recompact redoes it.');
}

async function recompact(_: string, { chat, face }: CommandContext): Promise<undefined> {
  const receipt = await chat.recompact();
  if (!receipt) return say(face, 'There is no undone fold to redo.');
  face.print(receiptRows(receipt, face.columns, face.style));
  return undefined;
}

async function context(_: string, { chat, face }: CommandContext): Promise<undefined> {
  face.print(contextRows(await chat.context(), face.columns, face.style));
  return undefined;
}

async function pin(args: string, talk: CommandContext): Promise<undefined> {
  const place = args === '' ? undefined : await placeOf(args, '/pin', talk);
  const { index, text } = await talk.chat.pin(place);
  return say(talk.face, `Pinned m${index}: ${firstRows(text, 60, 1)[0] ?? ''}`);
}

async function unpin(args: string, talk: CommandContext): Promise<undefined> {
  const place = await placeOf(args, '/unpin', talk);
  await talk.chat.unpin(place);
  return say(talk.face, `Unpinned m${place}.`);
}

/** Parses a message number: 41 or m41. If invalid, prints the last messages with their numbers and throws WrongUse. */
async function placeOf(args: string, command: string, { chat, face }: CommandContext): Promise<number> {
  const [, digits] = /^m?(\d{1,9})$/.exec(args) ?? [];
  if (digits !== undefined) return Number(digits);
  face.print(saidRows(await chat.said(8), face.columns, face.style, 1));
  throw new WrongUse(`${command} needs the number of a message, such as ${command} 4`);
}

async function recall(asked: string, { chat, face, home }: CommandContext): Promise<undefined> {
  if (asked === '') throw new WrongUse('/recall needs words, or a handle such as m41 or o3');
  const output = chat.session === undefined ? undefined : readOutput(home, chat.session, asked);
  if (output !== undefined) return showOutput(asked, output, outputsFolder(home, chat.session ?? ''), face);
  const { message, hits } = await chat.recall(asked, HITS);
  const { colours } = face.style;
  if (message) {
    const text = messageLines(message.message, true).join('\n');
    const rows = wrapText(text, face.columns - 2).map((row) => `  ${row}`);
    face.print([colours.bold(`${message.handle} ${speakerOf(message.message)}`), ...rows]);
    return undefined;
  }
  if (hits.length === 0)
    return say(face, isOutput(asked) ? `This session has no output ${asked}.` : 'No messages contain these words.');
  for (const { handle, lines, text } of hits)
    face.print([
      colours.bold(cut(`${handle}, lines ${lines.from} to ${lines.to}`, face.columns)),
      ...firstRows(text.trim(), face.columns - 2, 8).map((row) => `  ${row}`),
    ]);
  return undefined;
}

function showOutput(handle: string, output: string, folder: string, face: CommandContext['face']): undefined {
  const rows = wrapText(harmless(output.slice(0, OUTPUT_CHARS)), face.columns - 2);
  const shown = rows.slice(0, OUTPUT_ROWS).map((row) => `  ${row}`);
  face.print([face.style.colours.bold(handle), ...shown]);
  if (rows.length <= OUTPUT_ROWS && output.length <= OUTPUT_CHARS) return undefined;
  return say(face, `Only the start is shown; all ${output.length} characters: ${join(folder, `${handle}.txt`)}`);
}

async function fork(_: string, { chat, face, home, isKept }: CommandContext): Promise<undefined> {
  if (!isKept) throw new WrongUse('/fork: a store in memory is not saved: /export writes this session to a file');
  const id = await chat.fork();
  if (chat.session !== undefined) copyOutputs(home, chat.session, id);
  return say(face, `Forked. To open the copy: holdfast chat --resume ${id}`);
}

async function undo(args: string, { chat, face }: CommandContext): Promise<undefined> {
  if (args !== '') throw new WrongUse('/undo takes no argument: repeat /undo for each prompt');
  const undone = await chat.undo();
  if (!undone) return say(face, 'There is no prompt to undo.');
  face.fill(undone.prompt);
  const back = `Back to before your newest prompt: removed ${counted(undone.messages, 'message')}.`;
  return say(face, `${back}${foldsUndone(undone.folds)}`);
}

function foldsUndone(folds: number): string {
  if (folds === 0) return '';
  const count = counted(Math.abs(folds), 'fold');
  return folds > 0 ? ` Also undid ${count} made since.` : ` Also redid ${count} undone since.`;
}

async function exported(file: string, { chat, store, face, cwd }: CommandContext): Promise<undefined> {
  if (chat.session === undefined) return say(face, 'Nothing to export yet.');
  const path = resolve(cwd, file || `holdfast-${chat.session}.jsonl`);
  const lines = await writeLines(path, exportSession(store, chat.session));
  return say(face, `Wrote ${path}: ${lines - 1} entries.`);
}

async function model(name: string, { chat, face, speaker, models }: CommandContext): Promise<undefined> {
  if (name !== '') await chat.use(speaker(name));
  const { speaker: now } = chat;
  const known = name === '' && models.length > 0 ? `; known: ${models.join(', ')}` : '';
  return say(face, `${now.model} (${now.name}) answers${name === '' ? '' : ' from now on'}${known}`);
}

async function help(_: string, { face }: CommandContext): Promise<undefined> {
  const usage = ({ name, args, aliases = [] }: Command) =>
    `/${name}${args ? ` ${args}` : ''}${aliases.map((one) => ` (/${one})`).join('')}`;
  const width = Math.max(...COMMANDS.map((command) => usage(command).length)) + 2;
  const rows = COMMANDS.flatMap((command) =>
    face.columns < width + 20
      ? [usage(command), ...wrapText(command.about, face.columns - 4).map((row) => `    ${row}`)]
      : wrapText(`${pad(usage(command), width)}${command.about}`, face.columns),
  );
  const keys =
    'Enter sends; Alt+Enter, Ctrl+J or a trailing \\ starts a new line; Up and Down recall earlier prompts; Tab completes; Esc interrupts an answer and keeps it; Ctrl-C twice or Ctrl-D leaves. //text sends /text.';
  face.print([...rows, ...wrapText(keys, face.columns).map(face.style.colours.dim)]);
  return undefined;
}

function say(face: CommandContext['face'], text: string): undefined {
  face.print(wrapText(text, face.columns));
  return undefined;
}

/** The interface that a command prints to. */
export interface ChatInterface {
  readonly style: Style;
  readonly columns: number;
  /** Prints rows, none wider than `columns`. */
  print(rows: readonly string[]): void;
  /** Asks yes or no; always yes where there is no one to ask. */
  confirm(question: string): Promise<boolean>;
  /** Puts a text into the input line. */
  fill(text: string): void;
}

/** What a command may use. */
export interface CommandContext {
  readonly chat: Chat;
  readonly store: SessionStore;
  readonly face: ChatInterface;
  readonly cwd: string;
  readonly home: string;
  /** False for a store in memory. */
  readonly isKept: boolean;
  /** The same provider with another model. Throws WrongUse. */
  speaker(model: string): Speaker;
  /** Known models of this provider. */
  readonly models: readonly string[];
}

export function commandContext(
  { chat, store, model, models, home, isKept }: Opened,
  cwd: string,
  face: ChatInterface,
): CommandContext {
  const speaker = (name: string) => ({ ...chat.speaker, provider: model.withModel(name), model: name });
  return { chat, store, face, cwd, home, isKept, models, speaker };
}
