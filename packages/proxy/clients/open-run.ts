import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createStandIn, type Script, type StandIn, toolLoop } from '@holdfast/stand-in';
import type { Client, ClientStart } from './client.ts';
import { cacheFolder, installClient } from './install.ts';
import { type ProcessEnd, runProcess } from './run-process.ts';
import { partName, writeWorkspace } from './workspace.ts';

/** A proxy between clients and the stand-in. */
export interface RunningProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a proxy in front of an API. */
export type StartProxy = (upstream: string) => Promise<RunningProxy>;

/** What clients run on. */
export interface RunOptions {
  /** The files in the workspace, and the calls of the script. */
  readonly calls: number;
  /** By default a loop that reads every file. */
  readonly script?: Script;
  /** Without one, clients talk to the stand-in. */
  readonly proxy?: StartProxy;
}

/** How a client is started in a run. */
export interface StartOptions extends Pick<ClientStart, 'resume' | 'compact_at' | 'mcp_url'> {
  readonly prompt?: string;
  /** Clients with the same name share a home, and so their conversations. */
  readonly home?: string;
  /** 300 if absent. */
  readonly seconds?: number;
}

/** A stand-in, perhaps a proxy, and a workspace, for any number of clients. */
export interface Run {
  readonly stand_in: StandIn;
  readonly url: string;
  /** Starts a client, installed first if it has to be, and waits until it ends. */
  start(client: Client, options?: StartOptions): Promise<ProcessEnd>;
  /** Stops the servers and deletes all files except the installed clients. */
  close(): Promise<void>;
}

const PROMPT = 'Read every part, one after the other, then say that you are done.';

/** Opens a run. Close it in the end. */
export async function openRun({ calls, script = readParts(calls), proxy }: RunOptions): Promise<Run> {
  const standIn = await createStandIn({ script, keep_bodies: Number.POSITIVE_INFINITY });
  const folder = await createRunFolder();
  const workspace = join(folder, 'work');
  await writeWorkspace(workspace, calls);
  const through = await proxy?.(standIn.url);
  const url = through?.url ?? standIn.url;
  return {
    stand_in: standIn,
    url,
    async start(client, { prompt = PROMPT, home = 'home', seconds = 300, ...rest } = {}) {
      const path = await installClient(client);
      const place = join(folder, home);
      const { args, env, files } = client.command({ base_url: url, home: place, prompt, ...rest });
      await mkdir(place, { recursive: true });
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(place, name)), { recursive: true });
        await writeFile(join(place, name), text);
      }
      return runProcess(path, args, { cwd: workspace, env: { ...environment(place), ...env }, seconds });
    },
    async close() {
      await through?.close();
      await standIn.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Makes any client read so many parts. */
function readParts(calls: number): Script {
  return toolLoop({ calls, command: (n) => `cat ${partName(n)}` });
}

/** An empty folder, not in the system's temporary one, which Codex does not accept as a home. */
async function createRunFolder(): Promise<string> {
  const parent = join(cacheFolder(), 'runs');
  await mkdir(parent, { recursive: true });
  return mkdtemp(join(parent, 'run-'));
}

// Nothing listens there, so a client that tries to reach the internet fails immediately.
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
