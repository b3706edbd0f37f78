import { CommanderError } from 'commander';
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

/** What `work` returns. If the system refuses it, throws WrongUse: `cannot write FILE (EACCES): ADVICE`. */
export function orWrongUse<T>(doing: string, advice: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof WrongUse) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WrongUse(`cannot ${doing} (${code}): ${advice}`, error);
  }
}

/** The user left a question unanswered. */
export class Interrupted extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Interrupted';
  }
}

/** Whether a command line asks for JSON: its errors are a line of it, too. Pure. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  return own.includes('--json') || /(?:^| )--output-format[ =](?:stream-)?json(?: |$)/.test(own.join(' '));
}

/** Prints an error, with keys masked, also as JSON if `isJson`, and returns the exit code. */
export async function reportFailure(error: unknown, context: Context, isJson = false): Promise<ExitCode> {
  if (error instanceof CommanderError) {
    const exitCode = error.exitCode === 0 ? EXIT.done : EXIT.wrongUse;
    if (isJson && exitCode !== EXIT.done) printJson(usageText(error.message), exitCode, context);
    return exitCode;
  }
  // Not at the top, because help and usage errors must not wait for it.
  const { isHoldfastError, maskSecrets } = await import('holdfast');
  const isExpected = isHoldfastError(error) || error instanceof WrongUse || error instanceof Interrupted;
  const isWrongUse = error instanceof WrongUse || (isHoldfastError(error) && error.code === 'BAD_CONFIG');
  const exitCode = error instanceof Interrupted ? EXIT.interrupted : isWrongUse ? EXIT.wrongUse : EXIT.failed;
  const message = maskSecrets(error instanceof Error ? error.message : String(error));
  if (isJson) printJson(message, exitCode, context);
  for (const line of message.split('\n')) context.tell(line);
  if (context.env.HOLDFAST_DEBUG) {
    if (error instanceof Error && error.stack) context.tell(maskSecrets(error.stack));
  } else if (!isExpected) context.tell('unexpected error: HOLDFAST_DEBUG=1 shows the stack trace');
  return exitCode;
}

function printJson(error: string, exitCode: ExitCode, context: Context): void {
  context.print(jsonLine({ type: 'error', error, exitCode }));
}

/** A usage error in one line, without a full stop. Pure. */
export function usageText(text: string): string {
  return text
    .replace(/^error: /, '')
    .trim()
    .replace(/\.?$/, '')
    .replace(/\.?\s*\n\s*/g, ' ');
}
