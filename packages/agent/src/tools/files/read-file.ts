import { z } from 'zod';
import { type AgentTool, type Caps, defineTool } from '../define.ts';
import { ToolFailure } from '../failure.ts';
import type { Judge } from '../scope/judge.ts';
import type { LinkJudge } from './hard-links.ts';
import { counted, linesOf, textOf } from './text.ts';
import type { Gate, Workspace } from './workspace.ts';

/** Largest file that a tool reads or writes. Not measured; larger files are rarely source code. */
export const FILE_BYTES = 10 * 2 ** 20;

/** What the file tools work with. */
export interface Files {
  readonly workspace: Workspace;
  readonly judge: Judge;
  readonly links: LinkJudge;
}

const schema = z.strictObject({
  path: z.string().describe('File, relative to the workspace'),
  from_line: z.int().min(1).optional().describe('First line; the first is 1'),
  to_line: z.int().min(1).optional().describe('Last line'),
});

/** `read_file`: lines with their numbers. */
export function readFileTool(files: Files, caps: Caps): AgentTool {
  return defineTool(
    {
      name: 'read_file',
      description: 'Reads a text file or some of its lines. Each line starts with its number and a tab.',
      schema,
      repeatable: true,
      run({ path, from_line = 1, to_line = Number.POSITIVE_INFINITY }) {
        const read = files.workspace.read(path, gate(files, 'read'), FILE_BYTES);
        const found = textOf(read.bytes);
        if (found.type === 'binary')
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
        const text = numbered(lines, from_line, Math.min(to_line, lines.length), caps.max_output_chars);
        return found.lossy ? `${text}\n[some of it is not UTF-8, so edit_file cannot change this file]` : text;
      },
    },
    caps,
  );
}

/** Checks a file against the scope, also under its other names. */
export function gate({ judge, links }: Files, access: 'read' | 'write'): Gate {
  return (path, opened) => {
    const linked = opened && links(opened);
    if (linked !== undefined) throw new ToolFailure(`${path} is a hard link to a protected file: ${linked}`);
    const refusal = judge(path, access);
    if (refusal !== undefined) throw new ToolFailure(refusal);
  };
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
