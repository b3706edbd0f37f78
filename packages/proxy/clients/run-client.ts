import type { Client } from './client.ts';
import { type Measured, measureRequests } from './measure-requests.ts';
import { openRun, type RunOptions, type StartOptions } from './open-run.ts';
import type { ProcessEnd } from './run-process.ts';

/** The outcome of a run. */
export interface ClientRun extends Measured, ProcessEnd {
  readonly calls: number;
}

/** Runs a client through a loop of tool calls on the stand-in. Leaves no process and no file, except the installed client. */
export async function runClient(client: Client, options: RunOptions & StartOptions): Promise<ClientRun> {
  const run = await openRun(options);
  try {
    const end = await run.start(client, options);
    const { calls } = options;
    return { calls, ...measureRequests(run.stand_in.requests, calls, client.compaction), ...end };
  } finally {
    await run.close();
  }
}
