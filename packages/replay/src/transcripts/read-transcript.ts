import { readFile, stat } from 'node:fs/promises';
import { formOf, isDatabase, parsedJson, type ValueForm } from '@holdfast/sessions/foreign';
import { claudeReader, createClaudeIndex } from './claude-code.ts';
import { codexReader } from './codex.ts';
import { LONGEST_LINE, readLines } from './lines.ts';
import { messageReader } from './message-list.ts';
import { createRemarks, type Reader, type Recording, type Tell, type TranscriptRemark } from './recording.ts';
import { readDatabase, sessionReader } from './sessions.ts';

export interface TranscriptOptions {
  /** The name of the conversations; by default the path. */
  readonly name?: string;
  /** Called once the file is read, with what was skipped or changed, and why. */
  readonly onRemark?: (remark: TranscriptRemark) => void;
  /** Called as the file is read, with the number of bytes read since the last call. */
  readonly onBytes?: (bytes: number) => void;
}

/** What reads the lines of each form. */
const READERS: Partial<Readonly<Record<ValueForm, (name: string, tell: Tell) => Reader>>> = {
  meta: messageReader,
  row: messageReader,
  list: messageReader,
  message: messageReader,
  'model-message': messageReader,
  codex: codexReader,
  'session-head': sessionReader,
  'session-entry': sessionReader,
};

/**
 * The conversations in a file or a database of sessions; only those being read are in memory. The format is detected line
 * by line, so a file may mix several. What cannot be read is skipped, with a remark that names its line. Rejects only if
 * the file itself cannot be read.
 */
export async function* readTranscript(path: string, options: TranscriptOptions = {}): AsyncGenerator<Recording> {
  const { name = path, onRemark } = options;
  if (isDatabase(path)) return yield* readDatabase(path, options);
  const remarks = createRemarks(path);
  const { tell } = remarks;
  const readers = new Map<unknown, Reader>();
  const claude = createClaudeIndex(tell);
  let isClaude = false;
  for await (const { number, value } of values(path, tell, options.onBytes)) {
    const form = formOf(value);
    if (form === 'claude-code') {
      isClaude = true;
      claude.add(number, value);
      continue;
    }
    const make = READERS[form];
    if (!make) {
      tell(number, 'skipped lines of an unknown format');
      continue;
    }
    const reader = readers.get(make) ?? make(name, tell);
    readers.set(make, reader);
    yield* reader.take(number, value);
  }
  for (const reader of readers.values()) yield* reader.end();
  if (isClaude) yield* readClaude(path, name, claude, tell);
  if (readers.size + (isClaude ? 1 : 0) > 1)
    tell(0, 'the file contains transcripts in several formats; each is read separately');
  for (const remark of remarks.list()) onRemark?.(remark);
}

/** Reads the file again, now that the branches to read are known. */
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

/** The JSON values in a file: one per line, or the whole file as one. */
async function* values(
  path: string,
  tell: Tell,
  onBytes: TranscriptOptions['onBytes'],
): AsyncGenerator<{ readonly number: number; readonly value: unknown }> {
  let isFirst = true;
  for await (const line of readLines(path, tell, onBytes)) {
    const value = parsedJson(line.text);
    if (isFirst && value === undefined) {
      const whole = await wholeValue(path);
      if (whole !== undefined) return yield { number: 1, value: whole };
    }
    isFirst = false;
    if (value === undefined) tell(line.number, `skipped lines that are not JSON${cutOff(line.text)}`);
    else yield { number: line.number, value };
  }
}

/** The whole file as one JSON value, if it is one and not too large. */
async function wholeValue(path: string): Promise<unknown> {
  const { size } = await stat(path);
  return size > LONGEST_LINE ? undefined : parsedJson(await readFile(path, 'utf8'));
}

function cutOff(text: string): string {
  return /^\s*[{[]/.test(text) && !/[}\]]\s*$/.test(text) ? ' (cut off)' : '';
}
