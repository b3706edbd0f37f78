import { createHash } from 'node:crypto';
import { z } from 'zod';
import { attempt } from '../../attempt.ts';
import { isConfigName } from '../../config/files.ts';
import { defined } from '../../defined.ts';
import { type AgentTool, defineTool } from '../define.ts';
import { ToolFailure } from '../failure.ts';
import { refusalOf } from '../protected/protected-files.ts';
import type { ToolSetting } from '../setting.ts';
import { counted, linesOf, textOf } from './text.ts';
import type { Gate } from './workspace.ts';

/** Largest file that a tool reads or writes. Not measured; larger files are rarely source code. */
export const FILE_BYTES = 10 * 2 ** 20;

const path = z.string().describe('File, relative to the workspace');
const readSchema = z.strictObject({
  path,
  from_line: z.int().min(1).optional().describe('First line; the first is 1'),
  to_line: z.int().min(1).optional().describe('Last line'),
});
const writeSchema = z.strictObject({
  path: z.string().describe('File, relative to the workspace; missing folders are created'),
  content: z.string().describe('The full text of the file'),
});
const editSchema = z.strictObject({
  path,
  old_text: z.string().min(1).describe('Exact text in the file, without line numbers'),
  new_text: z.string().describe('Text to replace it with'),
  replace_all: z.boolean().optional().describe('Replace every occurrence of old_text'),
});

/** `read_file`, `write_file` and `edit_file`. */
export function fileTools(setting: ToolSetting): AgentTool[] {
  const { workspace, linked } = setting;
  const mayWrite = gate(setting, 'write');
  /** Before each write: a symlink may make a file configuration, and the path that leads through it names it as such. */
  const checkLinks = (path: string) => {
    linked.look();
    const named = workspace.names(path).join('/');
    if (isConfigName(named)) throw new ToolFailure(refusalOf(named));
  };
  const bytesOf = (path: string) => attempt(() => workspace.read(path, mayWrite, FILE_BYTES).bytes);
  return [
    defineTool(setting, {
      name: 'read_file',
      description: 'Reads a text file or some of its lines. Each line starts with its number and a tab.',
      schema: readSchema,
      repeatable: true,
      run({ path, from_line = 1, to_line = Number.POSITIVE_INFINITY }) {
        const read = workspace.read(path, gate(setting, 'read'), FILE_BYTES);
        const found = textOf(read.bytes);
        if (found === undefined)
          throw new ToolFailure(
            `${read.path} is a binary file of ${read.bytes.length} bytes (${startOf(read.bytes)}…), not shown`,
          );
        const lines = linesOf(found.text.replace(/^\ufeff/, ''));
        if (lines.length === 0) return `${read.path} is empty`;
        if (to_line < from_line) throw new ToolFailure(`to_line ${to_line} is before from_line ${from_line}`);
        if (from_line > lines.length)
          throw new ToolFailure(
            `${read.path} has ${counted(lines.length, 'line')}; from_line ${from_line} is past the end`,
          );
        const text = numbered(lines, from_line, Math.min(to_line, lines.length), setting.max_output_chars);
        return found.lossy ? `${text}\n[some of it is not UTF-8, so edit_file cannot change this file]` : text;
      },
    }),
    defineTool(setting, {
      name: 'write_file',
      description: 'Writes a whole file, replacing an existing one. To change part of a file, use edit_file.',
      schema: writeSchema,
      asks: true,
      mark: ({ path, content }) => changeMark(bytesOf(path), Buffer.from(content)),
      change({ path, content }) {
        const before = bytesOf(path);
        const found = before && textOf(before);
        // Bytes that are not text cannot be compared.
        if (before && found === undefined) return undefined;
        return defined({ path, after: content, before: found?.text });
      },
      run({ path, content }, context) {
        const bytes = Buffer.from(content);
        const size = `${counted(linesOf(content).length, 'line')}, ${counted(bytes.length, 'byte')}`;
        if (isDone(path, context.interrupted, bytesOf)) {
          context.fileChanged(path);
          return `wrote ${path}: ${size}`;
        }
        if (bytes.length > FILE_BYTES)
          throw new ToolFailure(`content has ${bytes.length} bytes, more than the limit of ${FILE_BYTES}`);
        checkLinks(path);
        const written = workspace.write(path, mayWrite, bytes);
        context.fileChanged(written.path);
        const done = written.before === undefined ? 'created' : `replaced ${written.before} bytes of`;
        return `${done} ${written.path}: ${size}`;
      },
    }),
    defineTool(setting, {
      name: 'edit_file',
      description:
        'Replaces old_text in a file with new_text. old_text must occur exactly once, unless replace_all is set.',
      schema: editSchema,
      asks: true,
      mark(input) {
        const before = bytesOf(input.path);
        return before && changeMark(before, Buffer.from(edited(before, input).text));
      },
      change(input) {
        const before = bytesOf(input.path);
        if (before === undefined) return undefined;
        return { path: input.path, before: before.toString('utf8'), after: edited(before, input).text };
      },
      run(input, context) {
        const { path, old_text, new_text } = input;
        if (isDone(path, context.interrupted, bytesOf)) {
          context.fileChanged(path);
          return `edited ${path}`;
        }
        if (old_text === new_text) throw new ToolFailure('old_text and new_text are the same: nothing to change');
        checkLinks(path);
        let lines: number[] = [];
        const real = workspace.edit(path, mayWrite, FILE_BYTES, (before) => {
          const after = edited(before, input);
          lines = after.lines;
          return Buffer.from(after.text);
        });
        context.fileChanged(real);
        return `edited ${real}: ${counted(lines.length, 'place')}, at ${places(lines)}`;
      },
    }),
  ];
}

/** Checks a file against the scope, also under its other names. */
function gate({ judge, links }: ToolSetting, access: 'read' | 'write'): Gate {
  return (path, opened) => {
    const linked = opened && links(opened);
    if (linked !== undefined) throw new ToolFailure(`${path} is a hard link to a protected file: ${linked}`);
    const refusal = judge(path, access);
    if (refusal !== undefined) throw new ToolFailure(refusal);
  };
}

/** Identifies a change to a file by hashes of its content before and after. */
function changeMark(before: Buffer | undefined, after: Buffer): string {
  return `${hashOf(before)} ${hashOf(after)}`;
}

/**
 * True if an interrupted change with this mark was already made, false if the file is unchanged. Throws ToolFailure if it is
 * neither, because then something else changed the file.
 */
function isDone(path: string, mark: string | undefined, bytesOf: (path: string) => Buffer | undefined): boolean {
  if (mark === undefined) return false;
  const [before, after] = mark.split(' ');
  const now = hashOf(bytesOf(path));
  if (now === after || now === before) return now === after;
  throw new ToolFailure(
    `the process ended during this call, and something else has changed ${path} since: read it again`,
  );
}

function hashOf(bytes: Buffer | undefined): string {
  return bytes === undefined ? 'none' : createHash('sha256').update(bytes).digest('base64url');
}

function startOf(bytes: Buffer): string {
  return bytes
    .subarray(0, 8)
    .toString('hex')
    .replace(/..(?=.)/g, '$& ');
}

/** As many whole lines as fit, and where to continue; the cap cuts a single line that is too long. */
function numbered(lines: readonly string[], from: number, to: number, max: number): string {
  const shown: string[] = [];
  let size = 200;
  for (let at = from; at <= to; at++) {
    const line = `${at}\t${lines[at - 1] ?? ''}`;
    size += Buffer.byteLength(line) + 1;
    if (size > max && shown.length > 0) {
      return `${shown.join('\n')}\n[lines ${from} to ${at - 1} of ${lines.length}; continue with from_line ${at}]`;
    }
    shown.push(line);
  }
  const part = from > 1 || to < lines.length ? `\n[lines ${from} to ${to} of ${lines.length}]` : '';
  return shown.join('\n') + part;
}

/** The changed text and the lines that changed. Throws ToolFailure unless the old text is found as requested. Pure. */
function edited(
  before: Buffer,
  { path, old_text: old, new_text: fresh, replace_all = false }: z.infer<typeof editSchema>,
): { text: string; lines: number[] } {
  const found = textOf(before);
  if (found === undefined || found.lossy)
    throw new ToolFailure(`${path} is not UTF-8 text; edit_file would corrupt it`);
  const { text } = found;
  // read_file hides line ends, so a model cannot know that they are CRLF.
  const crlf = !text.includes(old) && !old.includes('\r') && text.includes('\r\n');
  const wanted = crlf ? old.replaceAll('\n', '\r\n') : old;
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    for (let end = text.indexOf('\n', from); end >= 0 && end < at; end = text.indexOf('\n', from)) {
      line++;
      from = end + 1;
    }
    lines.push(line);
  }
  if (lines.length === 0)
    throw new ToolFailure(`old_text was not found in ${path}; nothing was changed.${nearest(text, old)}`);
  if (lines.length > 1 && !replace_all) {
    throw new ToolFailure(
      `old_text was found ${lines.length} times in ${path}, at ${places(lines)}; nothing was changed. Include more of the surrounding text, or set replace_all.`,
    );
  }
  return { text: text.split(wanted).join(crlf ? fresh.replace(/\r?\n/g, '\r\n') : fresh), lines };
}

function places(lines: readonly number[]): string {
  const shown = lines.slice(0, 20).join(', ');
  return `${lines.length === 1 ? 'line' : 'lines'} ${shown}${lines.length > 20 ? ` and ${lines.length - 20} more` : ''}`;
}

/** Points to a line that equals the first line of the old text but for white space. */
function nearest(text: string, old: string): string {
  const first = linesOf(old)
    .find((line) => line.trim() !== '')
    ?.trim();
  if (first === undefined) return ' Read the file again.';
  const at = linesOf(text).findIndex((line) => line.trim() === first);
  if (at < 0) return ' Read the file again: none of its lines matches the first line of old_text.';
  return ` Its first line resembles line ${at + 1}, but white space or later lines differ: read the file from there.`;
}
