import { z } from 'zod';
import { type AgentTool, type Caps, defineTool } from '../define.ts';
import { ToolFailure } from '../failure.ts';
import type { Judge } from '../scope/judge.ts';
import type { LinkJudge } from './hard-links.ts';
import { counted, linesOf, textOf } from './text.ts';
import type { Gate, Workspace } from './workspace.ts';

/** Most bytes of a file that a tool reads or writes. No measurement supports the number; larger files are rarely source. */
export const FILE_BYTES = 10 * 2 ** 20;

/** What the tools for files work with. */
export interface Files {
  readonly workspace: Workspace;
  readonly judge: Judge;
  readonly links: LinkJudge;
}

const schema = z.strictObject({
  path: z.string().describe('File, from the workspace'),
  from_line: z.int().min(1).optional().describe('First line, counted from 1'),
  to_line: z.int().min(1).optional().describe('Last line'),
});

/** `read_file`: lines with their numbers. */
export function readFileTool(files: Files, caps: Caps): AgentTool {
  return defineTool(
    {
      name: 'read_file',
      description: 'Reads a text file, or some of its lines; each line is shown with its number and a tab before it.',
      schema,
      repeatable: true,
      run({ path, from_line = 1, to_line = Number.POSITIVE_INFINITY }) {
        const read = files.workspace.read(path, gate(files, 'read'), FILE_BYTES);
        const found = textOf(read.bytes);
        if (found.type === 'binary')
          throw new ToolFailure(
            `${read.path} is a binary file of ${read.bytes.length} bytes (${startOf(read.bytes)}…) and is not shown`,
          );
        const lines = linesOf(found.text.replace(/^\ufeff/, ''));
        if (lines.length === 0) return `${read.path} is empty`;
        if (to_line < from_line) throw new ToolFailure(`to_line ${to_line} is before from_line ${from_line}`);
        if (from_line > lines.length)
          throw new ToolFailure(
            `${read.path} has ${counted(lines.length, 'line')}; from_line ${from_line} is behind the last`,
          );
        const text = numbered(lines, from_line, Math.min(to_line, lines.length), caps.max_output_chars);
        return found.lossy ? `${text}\n[not all of it is UTF-8: edit_file will not change this file]` : text;
      },
    },
    caps,
  );
}

/** A gate that asks the scope for a file, and for its other names. */
export function gate({ judge, links }: Files, access: 'read' | 'write'): Gate {
  return (path, opened) => {
    const linked = opened && links(opened);
    if (linked !== undefined) throw new ToolFailure(`${path} is another name (a hard link) of a file: ${linked}`);
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

/** Whole lines as far as they fit, with where to go on; a line that is too long by itself is cut by the cap. */
function numbered(lines: readonly string[], from: number, to: number, max: number): string {
  const shown: string[] = [];
  let size = 200;
  for (let at = from; at <= to; at++) {
    const line = `${at}\t${lines[at - 1] ?? ''}`;
    size += Buffer.byteLength(line) + 1;
    if (size > max && shown.length > 0) {
      return `${shown.join('\n')}\n[lines ${from} to ${at - 1} of ${lines.length}; go on with from_line ${at}]`;
    }
    shown.push(line);
  }
  const part = from > 1 || to < lines.length ? `\n[lines ${from} to ${to} of ${lines.length}]` : '';
  return shown.join('\n') + part;
}
