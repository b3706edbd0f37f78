import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { COMPILE_CACHE, programOf } from '../../../scripts/test-programs.ts';
import { eachMessage, type SessionStore } from '../src/index.ts';

const CHILD = programOf('writer-child');

/** Starts a process that appends to a session. */
export function startWriter(where: string, session: string, name: string, count: number, acks: string): ChildProcess {
  const args = ['--disable-warning=ExperimentalWarning', CHILD, where, session, name, String(count), acks];
  return spawn(process.execPath, args, {
    env: { ...process.env, ...COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** How a process ended: its code, or what it said in its trouble. */
export function ended(child: ChildProcess): Promise<number | string> {
  let trouble = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    trouble += text;
  });
  return new Promise((resolve) =>
    child.once('close', (code, signal) => resolve(code === 0 ? 0 : `${signal} ${trouble}`)),
  );
}

/** What was acknowledged so far. */
export function acknowledged(acks: string): string[] {
  return existsSync(acks)
    ? readFileSync(acks, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

/** The names of all messages of a session from this one on, in order. */
export async function written(store: SessionStore, session: string, from = 0): Promise<string[]> {
  const names: string[] = [];
  for await (const { message } of eachMessage(store, session, from))
    names.push(String(message.content).split(' ')[0] ?? '');
  return names;
}

/** Random numbers below `most`, the same each time. */
export function dice(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % most;
  };
}

/** Waits until something holds; gives up after a minute. */
export async function until(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !holds(); ) {
    if (Date.now() > deadline) throw new Error('waited for a minute in vain');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
