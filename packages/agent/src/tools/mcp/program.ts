import { type ChildProcess, spawn } from 'node:child_process';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { DRAIN_MS, endGroup, marked, newMark, signalGroup, within } from '../commands/process-group.ts';

/** An MCP server that is a program. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Time between asking it to end and killing it. */
  readonly grace_ms: number;
  onStderr(text: string): void;
}

// process.exit() closes nothing first.
const running = new Set<ChildProcess>();
const endAll = () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
};

/**
 * Talks to a program over stdin and stdout. It runs in its own process group, so that closing stops everything it started;
 * afterwards nothing keeps this process alive, even if something still holds its pipes. Closing twice is harmless.
 */
export function programTransport(program: Program): Transport {
  const mark = newMark();
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
        if (!child?.stdin?.writable || closing) return reject(new Error('it is not running'));
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

/** Delivers complete messages; reports and skips invalid lines. */
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
  // By the protocol, a server ends when its input does.
  child.stdin?.end();
  if (child.pid !== undefined) await within(closed, DRAIN_MS);
  await endGroup(child, mark, grace);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  child.unref();
  running.delete(child);
  if (running.size === 0) process.off('exit', endAll);
}
