import { createRedactor, knownKeys } from '../loop/redactor.ts';
import { withoutKeys } from '../tools/commands/environment.ts';
import { followOutput } from '../tools/commands/follow-output.ts';
import { runGroup } from '../tools/commands/run-group.ts';
import { messageOf } from '../tools/failure.ts';
import { realPath } from '../tools/files/real-path.ts';
import { guardConfig } from '../tools/protected/protected-files.ts';
import type { ValidationResult } from './state.ts';

/** How to run a project's checks. */
export interface ValidationSetup {
  readonly commands: readonly string[];
  readonly workspace: string;
  /** Files to restore if a check changes them, besides every configuration. */
  readonly protected?: readonly string[];
  readonly time_limit_ms: number;
  readonly pass_env: readonly string[];
  readonly signal: AbortSignal;
  readonly onStart: (command: string) => void;
  readonly onOutput: (line: string) => void;
  readonly onResult: (result: ValidationResult) => void;
}

/** Characters from the end of a check's output for the model: errors and totals come last. */
const SHOWN = 4_000;
/** More than that, so that no key is cut before it is found. */
const KEPT = 8_000;

/** Runs all checks in order, even after one fails. Never throws; stops when the signal is aborted. */
export async function validate(setup: ValidationSetup): Promise<ValidationResult[]> {
  const results: ValidationResult[] = [];
  const guard = guardConfig(realPath(setup.workspace), setup.protected);
  for (const command of setup.commands) {
    if (setup.signal.aborted) break;
    // The model may have written the program that a check runs.
    const putBack = guard.start();
    setup.onStart(command);
    const result = await check(command, setup);
    putBack();
    results.push(result);
    setup.onResult(result);
  }
  return results;
}

async function check(
  command: string,
  { workspace, time_limit_ms, pass_env, signal, onOutput }: ValidationSetup,
): Promise<ValidationResult> {
  const started = performance.now();
  let tail = Buffer.alloc(0);
  const redactor = createRedactor(...knownKeys());
  const newest = followOutput(onOutput, redactor);
  const ended = (passed: boolean, exitCode: number | null, more = ''): ValidationResult => {
    newest.end();
    const printed = redactor.text(new TextDecoder().decode(tail).replace(/^\ufffd+/, '')).slice(-SHOWN);
    const elapsedMs = Math.round(performance.now() - started);
    return { command, passed, exitCode, output: `${printed}${more}`, elapsedMs };
  };
  try {
    const { code, stopped } = await runGroup({
      command,
      cwd: workspace,
      env: withoutKeys(process.env, pass_env),
      time_limit_ms,
      grace_ms: 2_000,
      signal,
      onOutput(_, bytes: Buffer) {
        tail = Buffer.from(Buffer.concat([tail, bytes.subarray(-KEPT)]).subarray(-KEPT));
        newest.write(bytes);
      },
    });
    const late =
      stopped === 'time' ? `\n[ended after ${time_limit_ms / 1_000} s, the limit of validation.timeout]` : '';
    return ended(code === 0 && stopped === undefined, code, late);
  } catch (error) {
    return ended(false, null, `could not start: ${messageOf(error)}`);
  }
}
