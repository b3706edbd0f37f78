import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { HoldfastConfig, Task } from '@holdfast/agent';
import { proposedChecks } from '@holdfast/agent/run';
import { realPath } from '@holdfast/agent/tools';
import type { Context } from '../context.ts';
import { Interrupted } from '../failure.ts';
import { askYes, hasTerminalToAsk } from '../trust/question.ts';
import { addTrust, readTrust } from '../trust/trust-store.ts';
import { visible } from '../trust/visible.ts';

/** `checks`: true runs what the task proposes, false does not; undefined asks once. */
export interface CheckFlags {
  readonly checks?: boolean;
}

/**
 * The configuration with the commands of the Definition of Done as checks, if the user agrees. The answer yes is kept with the
 * user's trust, by the task's path and its commands; without a terminal, nothing runs unasked. Throws Interrupted.
 */
export async function withChecks(
  config: HoldfastConfig,
  task: Task,
  path: string,
  { checks }: CheckFlags,
  context: Context,
): Promise<HoldfastConfig> {
  const proposed = proposedChecks(task, config.validation.commands);
  if (proposed.length === 0 || checks === false) return config;
  if (!checks && !(await agrees(proposed, path, context))) return config;
  const commands = [...config.validation.commands, ...proposed];
  return { ...config, validation: { ...config.validation, commands } };
}

async function agrees(proposed: readonly string[], path: string, context: Context): Promise<boolean> {
  const folder = realPath(context.cwd);
  const name = `${realPath(resolve(context.cwd, path))} (checks)`;
  const text = proposed.join('\n');
  const hash = createHash('sha256').update(text).digest('hex');
  if (readTrust(context)[folder]?.[name]?.hash === hash) return true;
  if (!hasTerminalToAsk(process)) return false;
  const lines = [
    `${visible(path)} is done when these commands succeed:`,
    ...proposed.map((command) => `  ${visible(command)}`),
    'They would run in this folder, as you, after each iteration.',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
  const answer = await askYes(process, 'Run them as checks?');
  if (answer === 'quit') throw new Interrupted('nothing was done');
  if (answer === 'yes') addTrust(context, folder, { [name]: { hash, since: new Date().toISOString(), text } });
  return answer === 'yes';
}
