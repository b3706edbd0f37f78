import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createStandIn, type Prompt, type Script, type StandIn, toolLoop } from '@holdfast/stand-in';
import type { ProxyEvent } from '../src/index.ts';
import type { Client, ClientStart } from './client.ts';
import { cacheFolder, installClient } from './install.ts';
import { type ProcessEnd, runProcess } from './run-process.ts';
import { partName, writeWorkspace } from './workspace.ts';

/** A proxy between clients and the stand-in. */
export interface RunningProxy {
  readonly url: string;
  readonly events: readonly ProxyEvent[];
  close(): Promise<void>;
}

/** Starts a proxy in front of an API. `home`: that of the clients, if it keeps anything. */
export type StartProxy = (upstream: string, home: string) => Promise<RunningProxy>;

/** What clients run on. */
export interface RunOptions {
  /** The files in the workspace. */
  readonly calls: number;
  /** By default a loop that reads as many files as the newest prompt says. */
  readonly script?: Script;
  /** Without one, clients talk to the stand-in. */
  readonly proxy?: StartProxy;
}

/** How a client is started in a run. */
export interface StartOptions
  extends Pick<ClientStart, 'resume' | 'compact_at' | 'mcp_url' | 'mcp_command' | 'sandboxed' | 'args'> {
  /** By default it asks to read all files. */
  readonly prompt?: string;
  /** Talks to the stand-in, even if there is a proxy. */
  readonly direct?: boolean;
  /** 300 if absent. */
  readonly seconds?: number;
}

/** A stand-in, perhaps a proxy, and a workspace, for any number of clients. */
export interface Run {
  readonly stand_in: StandIn;
  /** The address of the proxy, or of the stand-in if there is none. */
  readonly url: string;
  /** The clients' HOME. */
  readonly home: string;
  /** Everything worth a line that the proxy reported, before and after a restart. */
  readonly events: readonly ProxyEvent[];
  /** Starts a client, installed first if it has to be, and waits until it ends. */
  start(client: Client, options?: StartOptions): Promise<ProcessEnd>;
  /** Ends the proxy and starts another one. */
  restart(): Promise<void>;
  /** Stops the servers and deletes all files except the installed clients. */
  close(): Promise<void>;
}

/** Asks to read the parts up to this number. */
export function readUpTo(part: number): string {
  return `Read the parts up to ${part}, one after the other, then say that you are done.`;
}

/** Opens a run. Close it in the end. */
export async function openRun({ calls, script = readParts, proxy }: RunOptions): Promise<Run> {
  const standIn = await createStandIn({ script, keep_bodies: Number.POSITIVE_INFINITY });
  const folder = await createRunFolder();
  const [workspace, home] = [join(folder, 'work'), join(folder, 'home')];
  await mkdir(home);
  await writeWorkspace(workspace, calls);
  const started: RunningProxy[] = [];
  const startProxy = async () => void (proxy && started.unshift(await proxy(standIn.url, home)));
  await startProxy();
  const url = () => started[0]?.url ?? standIn.url;
  return {
    stand_in: standIn,
    home,
    get url() {
      return url();
    },
    get events() {
      return started.toReversed().flatMap(({ events }) => events);
    },
    async start(client, { prompt = readUpTo(calls), direct = false, seconds = 300, ...rest } = {}) {
      const path = await installClient(client);
      const { args, env, files } = client.command({ base_url: direct ? standIn.url : url(), home, prompt, ...rest });
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(home, name)), { recursive: true });
        await writeFile(join(home, name), text);
      }
      return runProcess(path, args, { cwd: workspace, env: { ...environment(home), ...env }, seconds });
    },
    async restart() {
      await started[0]?.close();
      await startProxy();
    },
    async close() {
      await started[0]?.close();
      await standIn.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Makes any client read the parts that it was asked to, one after the other. */
const readParts: Script = toolLoop({ calls: askedParts, command: (n) => `cat ${partName(n)}` });

/** The number in the newest prompt of the user. */
function askedParts({ messages }: Prompt): number {
  const asked = messages.flatMap(({ role, text }) => (role === 'user' ? [...text.matchAll(/parts up to (\d+)/g)] : []));
  return Number(asked.at(-1)?.[1] ?? 0);
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
export function environment(home: string): Record<string, string> {
  return {
    PATH: [join(home, 'bin'), dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    HTTPS_PROXY: CLOSED,
    HTTP_PROXY: CLOSED,
    NO_PROXY: '127.0.0.1,localhost',
  };
}
