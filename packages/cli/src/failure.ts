import { CommanderError } from 'commander';
import { isHoldfastError, maskSecrets } from 'holdfast';
import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { jsonLine } from './view/harmless.ts';

/** An invalid request by the user; the message says what to do instead. */
export class WrongUse extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'WrongUse';
  }
}

/** The user left a question unanswered. */
export class Interrupted extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Interrupted';
  }
}

/** Runs a command whose output is JSON if `isJson`: an error then is a line of it, too. */
export async function withErrorsIn(isJson: boolean, context: Context, command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (isJson) context.print(jsonLine({ type: 'error', error: messageOf(error), exitCode: exitCodeOf(error) }));
    throw error;
  }
}

/** Prints an error, with keys masked, and returns the exit code. */
export function reportFailure(error: unknown, context: Context): ExitCode {
  if (error instanceof CommanderError) return exitCodeOf(error);
  const expected = error instanceof WrongUse || error instanceof Interrupted || isHoldfastError(error);
  for (const line of messageOf(error).split('\n')) context.tell(line);
  if (context.env.HOLDFAST_DEBUG) {
    if (error instanceof Error && error.stack) context.tell(maskSecrets(error.stack));
  } else if (!expected) context.tell('unexpected error: HOLDFAST_DEBUG=1 shows the stack trace');
  return exitCodeOf(error);
}

function messageOf(error: unknown): string {
  return maskSecrets(error instanceof Error ? error.message : String(error));
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse;
  if (error instanceof Interrupted) return EXIT.interrupted;
  const wrong = error instanceof WrongUse || (isHoldfastError(error) && error.code === 'BAD_CONFIG');
  return wrong ? EXIT.wrongUse : EXIT.failed;
}
