import { wrapProse } from './prose.ts';
import { columnsOf } from './text.ts';

/** An example and what it does, or an indented command alone: `  holdfast run TASK.md      run a task`. */
const EXAMPLE = /^( +)(\S.*?)(?:( {2,})(\S.*))?$/;
const LEAST_COLUMNS = 20;

/**
 * Help for a terminal of `columns`: lines that fit stay, others wrap at words, explanations below each other where there is
 * room. A paragraph that is broken in the source flows on. Pure.
 */
export function wrapHelp(text: string, columns: number): string {
  return paragraphs(text)
    .map((line) => (columnsOf(line) <= columns ? line : wrapped(line, columns)))
    .join('\n');
}

/** Joins the lines of a paragraph: lines without indentation that follow each other. */
function paragraphs(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const before = lines.at(-1);
    const flows = before !== undefined && isProse(before) && isProse(line) && !/[.:]$/.test(before);
    if (flows) lines[lines.length - 1] = `${before} ${line}`;
    else lines.push(line);
  }
  return lines;
}

function isProse(line: string): boolean {
  return /^\S/.test(line) && !/^(?:Usage|Options|Commands|Arguments|Examples):/.test(line);
}

function wrapped(line: string, columns: number): string {
  const [, indent = '', command = '', gap = '', about] = EXAMPLE.exec(line) ?? [];
  if (indent === '') return wrapProse(line, columns);
  if (about === undefined) return commandRows(indent, command, columns);
  const at = indent.length + columnsOf(command) + gap.length;
  if (columns - at >= LEAST_COLUMNS) {
    const rows = wrapProse(about, columns - at).split('\n');
    return rows.map((row, i) => (i === 0 ? indent + command + gap + row : ' '.repeat(at) + row)).join('\n');
  }
  const below = `${indent}    `;
  return `${commandRows(indent, command, columns)}\n${wrapProse(`${below}${about}`, columns, below)}`;
}

/** An example stays one command for a shell. */
function commandRows(indent: string, command: string, columns: number): string {
  const line = `${indent}${command}`;
  const isExample = command.startsWith('holdfast ');
  if (columnsOf(line) <= columns) return line;
  return wrapProse(line, isExample ? columns - 2 : columns, `${indent}  `).replaceAll('\n', isExample ? ' \\\n' : '\n');
}
