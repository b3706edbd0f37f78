import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { DRAIN_MS, endGroup, marked, signalGroup, within } from '../commands/process-group.ts';

/** A program that is an MCP server. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Between asking it to end and ending it. */
  readonly grace_ms: number;
  onStderr(text: string): void;
}

// Whoever leaves with process.exit() closes nothing first.
const running = new Set<ChildProcess>();
const endAll = () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
};

/**
 * Talks to a program over its streams. It runs in a process group of its own, so that closing ends all that it started;
 * afterwards nothing of it keeps this process alive, whatever still holds its pipes. Closing twice is closing once.
 */
export function programTransport(program: Program): Transport {
  const mark = randomBytes(12).toString('hex');
  const buffer = new ReadBuffer();
  let child: ChildProcess | undefined;
  let closing: Promise<void> | undefined;
  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        const started = start(program, mark);
        child = started;
        const fail = (error: Error) => transport.onerror?.(error);
        started.once('error', reject).once('spawn', resolve).once('exit', transport.close);
        for (const stream of [started, started.stdin, started.stdout, started.stderr]) stream?.on('error', fail);
        started.stdout?.on('data', (bytes: Buffer) => {
          try {
            buffer.append(bytes);
          } catch (error) {
            fail(error as Error);
            void transport.close();
          }
          hear(buffer, transport);
        });
        started.stderr?.on('data', (bytes: Buffer) => program.onStderr(bytes.toString('utf8')));
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (!child?.stdin?.writable || closing) return reject(new Error('it does not run'));
        if (child.stdin.write(serializeMessage(message))) resolve();
        else child.stdin.once('drain', resolve).once('close', resolve);
      }),
    close() {
      closing ??= (child ? end(child, mark, program.grace_ms) : Promise.resolve()).then(() => transport.onclose?.());
      return closing;
    },
  };
  return transport;
}

function start({ command, args, env, cwd }: Program, mark: string): ChildProcess {
  const child = spawn(command, args, {
    cwd,
    env: marked({ ...getDefaultEnvironment(), ...env }, mark),
    detached: true,
    stdio: 'pipe',
  });
  if (running.size === 0) process.on('exit', endAll);
  running.add(child);
  return child;
}

/** The messages that are whole; a line that is none is told and left out. */
function hear(buffer: ReadBuffer, transport: Transport): void {
  for (;;) {
    try {
      const message = buffer.readMessage();
      if (message === null) return;
      transport.onmessage?.(message);
    } catch (error) {
      transport.onerror?.(error as Error);
    }
  }
}

async function end(child: ChildProcess, mark: string, grace: number): Promise<void> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // A server that keeps to the protocol ends by itself when its input does.
  child.stdin?.end();
  if (child.pid !== undefined) await within(closed, DRAIN_MS);
  await endGroup(child, mark, grace);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  child.unref();
  running.delete(child);
  if (running.size === 0) process.off('exit', endAll);
}
