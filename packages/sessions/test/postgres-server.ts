import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A real Postgres server that lives as long as this process, or until `stop`. */
export interface TestServer {
  readonly url: string;
  /** `restart`, `stop-server` or `start-server`; resolves when it is done. */
  order(what: 'restart' | 'stop-server' | 'start-server'): Promise<void>;
  stop(): Promise<void>;
}

const CHILD = fileURLToPath(new URL('postgres-child.ts', import.meta.url));

/** Starts it in a process of its own, which stops it when this one is gone. Undefined, with a line that says why, if it cannot be. */
export async function startPostgres(): Promise<TestServer | undefined> {
  const child = fork(CHILD, [], { detached: true, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const told = await answer(child).catch((error: unknown) => ({ failed: String(error) }));
  if (!('url' in told)) {
    console.warn(`postgres: not tested, no server can be started here: ${'failed' in told ? told.failed : ''}`);
    if (child.connected) child.disconnect();
    return undefined;
  }
  child.unref();
  child.channel?.unref();
  return {
    url: told.url,
    async order(what) {
      child.channel?.ref();
      child.send(what);
      await answer(child);
      child.channel?.unref();
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.ref();
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

type Told = { readonly url: string } | { readonly failed: string } | { readonly done: string };

function answer(child: ChildProcess): Promise<Told> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`it ended with ${code}`));
    child.once('exit', onExit);
    child.once('error', reject);
    child.once('message', (told) => {
      child.off('exit', onExit);
      child.off('error', reject);
      resolve(told as Told);
    });
  });
}
