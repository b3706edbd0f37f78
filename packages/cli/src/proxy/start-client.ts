import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { nearest } from '@holdfast/agent/config';
import { anyClient, type ClientRun, clientOf, type UpstreamAddresses } from '@holdfast/proxy';
import type { Context } from '../context.ts';
import { findProgram } from '../doctor/programs.ts';
import { WrongUse } from '../failure.ts';

/** The base URLs that a client may already have, and whose place the proxy takes. */
const BASE_URLS = {
  ANTHROPIC_BASE_URL: 'anthropic',
  OPENAI_BASE_URL: 'openai',
  GOOGLE_GEMINI_BASE_URL: 'gemini',
} as const;

/** Throws WrongUse for a client that cannot be started this way, before anything else starts. */
export function checkClient([program = '']: readonly string[], upstreams: UpstreamAddresses, context: Context): void {
  const { env } = context;
  const client = clientOf(program);
  const meant = client || findProgram(program, context) ? undefined : nearest(program, ['status']);
  if (meant !== undefined)
    throw new WrongUse(`unknown command '${program}' (Did you mean ${meant}?); see holdfast proxy --help`);
  if (client && !client.run)
    throw new WrongUse(
      `${client.name} takes its base URL only from its settings: start holdfast proxy alone, which prints the command to set it`,
    );
  const { env: replaced } = client?.run?.('', '') ?? anyClient('');
  for (const [variable, vendor] of Object.entries(BASE_URLS)) {
    if (!(variable in replaced) || !env[variable] || upstreams[vendor] !== undefined) continue;
    throw new WrongUse(
      `${variable} is already set: pass --${vendor} with its value, so that the proxy sends requests there, or unset it`,
    );
  }
}

/** Hands the terminal to a client that uses the proxy, and returns its exit code. Throws WrongUse if it cannot be started. */
export async function startClient(command: readonly string[], url: string, context: Context): Promise<number> {
  const [program = '', ...args] = command;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-client-'));
  try {
    const run = clientOf(program)?.run?.(url, folder) ?? anyClient(url);
    for (const [name, text] of Object.entries(run.files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
    if (!clientOf(program))
      context.tell(`${program} is not a client that holdfast knows: it gets ${Object.keys(run.env).join(', ')}`);
    return await ended(program, [...run.args, ...args], run, context);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ended(program: string, args: readonly string[], { env }: ClientRun, context: Context): Promise<number> {
  return new Promise((resolve, reject) => {
    let child: ChildProcess | undefined;
    // Before the client starts, because it may be faster than this process.
    const forwarded = (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const).map((signal) => {
      // A terminal sends Ctrl-C to the client itself.
      const isSent = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
      const forward = () => void (isSent || child?.kill(signal));
      process.on(signal, forward);
      return () => process.off(signal, forward);
    });
    const done = () => {
      for (const stop of forwarded) stop();
    };
    child = spawn(program, args, { cwd: context.cwd, env: { ...context.env, ...env }, stdio: 'inherit' });
    child.once('error', (error: NodeJS.ErrnoException) => {
      done();
      const why = error.code === 'ENOENT' ? 'there is no such program' : String(error.code);
      reject(new WrongUse(`cannot start ${program}: ${why}`, error));
    });
    child.once('close', (code, signal) => {
      done();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}
