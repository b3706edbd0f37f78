import type { Command } from 'commander';
import { addConfigFlags, type ConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { Finding } from '../doctor/finding.ts';
import { EXIT } from '../exit-codes.ts';
import { harmless, jsonText } from '../view/harmless.ts';
import { wrapProse } from '../view/prose.ts';

/** `holdfast doctor`: what is in place, what is missing, and how to fix it. */
export function addDoctor(program: Command, context: Context): void {
  const command = program
    .command('doctor')
    .description('check that everything a task needs is in place')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  holdfast doctor
  holdfast doctor --provider claude-cli
  holdfast doctor --json

Exit codes: 0 a task can run, perhaps with warnings; 1 something is missing or wrong.`,
    );
  addConfigFlags(command).action(async ({ json = false, ...flags }: ConfigFlags & { readonly json?: boolean }) => {
    const { examine } = await import('../doctor/examine.ts');
    const findings = await examine(context, flags);
    const healthy = findings.every(({ status }) => status !== 'problem');
    if (json) context.print(jsonText({ healthy, findings }));
    else for (const finding of findings) context.print(lineOf(finding, context));
    context.end(healthy ? EXIT.done : EXIT.failed);
  });
}

function lineOf({ about, status, text, advice }: Finding, { paint, columns }: Context): string {
  const colour = { ok: paint.green, warning: paint.yellow, problem: paint.red }[status];
  const room = columns === undefined ? undefined : columns - INDENT.length;
  const indented = (line: string, taken = 0) =>
    wrapProse(harmless(line).replaceAll('\n', ' '), room && room - taken).replaceAll(
      '\n',
      `\n${INDENT}${' '.repeat(taken)}`,
    );
  const line = `${colour(status.padEnd(8))} ${indented(`${about}: ${text}`)}`;
  return advice === undefined ? line : `${line}\n${INDENT}${paint.dim('→')} ${indented(advice, 2)}`;
}

const INDENT = ' '.repeat(9);
