import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createStandIn, type StandIn, toolLoop } from '@holdfast/stand-in';
import type { Client, ClientStart } from './client.ts';
import { cacheFolder, installClient } from './install.ts';
import { type Measured, measureRequests } from './measure-requests.ts';
import { type ProcessEnd, runProcess } from './run-process.ts';
import { partName, writeWorkspace } from './workspace.ts';

/** A proxy between a client and the stand-in. */
export interface RunningProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** How long a client runs, and through what. */
export interface RunOptions {
  /** Tool calls of the loop. */
  readonly calls: number;
  /** Starts the proxy in front of `upstream`; without one, the client talks to the stand-in. */
  readonly proxy?: (upstream: string, client: Client) => Promise<RunningProxy>;
  /** See ClientStart. */
  readonly compact_at?: number;
  /** 300 if absent. */
  readonly seconds?: number;
}

/** What came of a run. */
export interface ClientRun extends Measured, ProcessEnd {
  readonly calls: number;
}

const PROMPT = 'Read every part, one after the other, then say that you are done.';

/** Runs a client through a loop of tool calls on the stand-in. Leaves no process and no file, except the installed client. */
export async function runClient(client: Client, options: RunOptions): Promise<ClientRun> {
  const { calls, proxy, compact_at, seconds = 300 } = options;
  const folder = await createRunFolder();
  const standIn = await createLoopUpstream(calls);
  let through: RunningProxy | undefined;
  try {
    const workspace = join(folder, 'work');
    await writeWorkspace(workspace, calls);
    through = await proxy?.(standIn.url, client);
    const start = {
      base_url: through?.url ?? standIn.url,
      home: join(folder, 'home'),
      prompt: PROMPT,
      ...(compact_at !== undefined && { compact_at }),
    };
    const end = await startClient(client, start, workspace, seconds);
    return { calls, ...measureRequests(standIn.requests, calls, client.compaction), ...end };
  } finally {
    await through?.close();
    await standIn.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** An empty folder for a run. Not in the system's temporary folder, which Codex does not accept as a home. */
async function createRunFolder(): Promise<string> {
  const parent = join(cacheFolder(), 'runs');
  await mkdir(parent, { recursive: true });
  return mkdtemp(join(parent, 'run-'));
}

/** A stand-in that makes any client read so many parts. Keeps all bodies. */
function createLoopUpstream(calls: number): Promise<StandIn> {
  const script = toolLoop({ calls, command: (n) => `cat ${partName(n)}` });
  return createStandIn({ script, keep_bodies: Number.POSITIVE_INFINITY });
}

/** Starts a client, installed first if it has to be, and waits until it ends. */
async function startClient(
  client: Client,
  start: ClientStart,
  workspace: string,
  seconds: number,
): Promise<ProcessEnd> {
  const path = await installClient(client);
  const { args, env, files } = client.command(start);
  await mkdir(start.home, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(start.home, name)), { recursive: true });
    await writeFile(join(start.home, name), text);
  }
  return runProcess(path, args, { cwd: workspace, env: { ...environment(start.home), ...env }, seconds });
}

// Nothing listens there, so a client that tries to reach the internet fails at once.
const CLOSED = 'http://127.0.0.1:9';

/** The environment of every client: this Node first, nothing of the user's own, and no way out but loopback. */
function environment(home: string): Record<string, string> {
  return {
    PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    HTTPS_PROXY: CLOSED,
    HTTP_PROXY: CLOSED,
    NO_PROXY: '127.0.0.1,localhost',
  };
}
