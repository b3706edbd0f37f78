import { readFile, stat } from 'node:fs/promises';
import { formOf, isDatabase, parsedJson, type ValueForm } from '@holdfast/sessions/foreign';
import { claudeReader } from './claude-code.ts';
import { createClaudeIndex } from './claude-index.ts';
import { codexReader } from './codex.ts';
import { type Line, LONGEST_LINE, readLines } from './lines.ts';
import { messageReader } from './message-list.ts';
import { readDatabase } from './read-sessions.ts';
import type { Reader } from './reader.ts';
import { createRemarks, type Recording, type Remark, type Tell } from './recording.ts';
import { sessionReader } from './session-entries.ts';

export interface ReadOptions {
  /** What the conversations are called; by default the path. */
  readonly name?: string;
  /** Told, once the file is read, what was left out and why. */
  readonly onRemark?: (remark: Remark) => void;
  /** Told, as the file is read, how many more bytes were. */
  readonly onBytes?: (bytes: number) => void;
}

type LineForm = 'messages' | 'codex' | 'holdfast';

const LINE_FORMS: Partial<Readonly<Record<ValueForm, LineForm>>> = {
  meta: 'messages',
  row: 'messages',
  list: 'messages',
  message: 'messages',
  'model-message': 'messages',
  codex: 'codex',
  'session-head': 'holdfast',
  'session-entry': 'holdfast',
};

/**
 * The conversations of a file or of a database of sessions, one after the other; memory for those that are being read alone. The form is found out from
 * each line: a file may hold several. What cannot be read is left out and told of, with its line; the rest is read.
 * Rejects only if the file itself cannot be read.
 */
export async function* readTranscript(path: string, options: ReadOptions = {}): AsyncGenerator<Recording> {
  const { name = path, onRemark } = options;
  if (isDatabase(path)) return yield* readDatabase(path, options);
  const remarks = createRemarks(path);
  const { tell } = remarks;
  const readers = new Map<LineForm, Reader>();
  const claude = createClaudeIndex(tell);
  let isClaude = false;
  for await (const { number, value } of values(path, tell, options.onBytes)) {
    const form = formOf(value);
    if (form === 'claude-code') {
      isClaude = true;
      claude.add(number, value);
      continue;
    }
    const known = LINE_FORMS[form];
    if (known === undefined) tell(number, 'lines of no known form are left out');
    else yield* readerOf(known, readers, name, tell).take(number, value);
  }
  for (const reader of readers.values()) yield* reader.end();
  if (isClaude) yield* readClaude(path, name, claude, tell);
  if (readers.size + (isClaude ? 1 : 0) > 1)
    tell(0, 'the file holds transcripts of several forms: each is a conversation of its own');
  for (const remark of remarks.list()) onRemark?.(remark);
}

function readerOf(form: LineForm, readers: Map<LineForm, Reader>, name: string, tell: Tell): Reader {
  const known = readers.get(form);
  if (known) return known;
  const make = { messages: messageReader, codex: codexReader, holdfast: sessionReader }[form];
  const made = make(name, tell);
  readers.set(form, made);
  return made;
}

/** A second time over the file: only now is known which branches count. */
async function* readClaude(
  path: string,
  name: string,
  index: ReturnType<typeof createClaudeIndex>,
  tell: Tell,
): AsyncGenerator<Recording> {
  const plan = index.plan();
  const reader = claudeReader(name, plan, tell);
  for await (const { number, text } of readLines(path, () => {}))
    if (plan.conversations.has(number)) yield* reader.take(number, parsedJson(text));
  yield* reader.end();
}

interface Value {
  readonly number: number;
  readonly value: unknown;
}

/** The JSON values of a file: a line each, or the whole of it. */
async function* values(path: string, tell: Tell, onBytes: ReadOptions['onBytes']): AsyncGenerator<Value> {
  let first: Line | undefined;
  for await (const line of readLines(path, tell, onBytes)) {
    const value = parsedJson(line.text);
    if (!first && value === undefined) {
      const whole = await wholeValue(path);
      if (whole !== undefined) return yield { number: 1, value: whole };
    }
    first ??= line;
    if (value === undefined) tell(line.number, `lines that are not JSON are left out${cutOff(line.text)}`);
    else yield { number: line.number, value };
  }
}

/** A JSON text over several lines, if it is that and not too long. */
async function wholeValue(path: string): Promise<unknown> {
  const { size } = await stat(path);
  return size > LONGEST_LINE ? undefined : parsedJson(await readFile(path, 'utf8'));
}

function cutOff(text: string): string {
  return /^\s*[{[]/.test(text) && !/[}\]]\s*$/.test(text) ? ' (cut off)' : '';
}
