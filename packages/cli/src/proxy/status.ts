import type { ProxyStatus } from '@holdfast/proxy';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { portOf } from '../flag-values.ts';
import { jsonText } from '../view/harmless.ts';
import { countInterrupts } from '../view/interrupts.ts';
import { statusLines } from './lines.ts';
import { PROXY_PORT } from './settings.ts';

export interface StatusFlags {
  readonly port?: string;
  readonly json?: boolean;
}

const REFRESH_MS = 1_000;
const PATIENCE_MS = 5_000;

/** `proxy status`: live on a terminal until Ctrl-C or q, once elsewhere. Exits with 1 if no proxy answers. Throws WrongUse. */
export async function showStatus(flags: StatusFlags, context: Context): Promise<void> {
  const port = portOf(flags.port, PROXY_PORT);
  const status = await statusOf(port);
  if (!status) {
    context.tell(`no proxy is running on port ${port}: start one with holdfast proxy, or pass --port`);
    context.end(EXIT.failed);
  } else if (flags.json) context.print(jsonText(status));
  else if (process.stdout.isTTY && process.stdin.isTTY) await showLive(status, port, context);
  else for (const line of statusLines(status, Date.now(), 1_000, 1_000)) context.print(line);
}

/** The state of the proxy on this port; undefined if there is none. */
async function statusOf(port: number): Promise<ProxyStatus | undefined> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`http://127.0.0.1:${port}/holdfast/status`, { signal });
    const status = response.ok ? ((await response.json()) as ProxyStatus) : undefined;
    return status?.totals && status.conversations ? status : undefined;
  } catch {
    return undefined;
  }
}

async function showLive(first: ProxyStatus, port: number, context: Context): Promise<void> {
  const { createFrames } = await import('../view/frames.ts');
  let [status, isThere] = [first, true];
  let [columns, rows] = [80, 24];
  const lines = () => statusLines(status, Date.now(), columns - 1, rows - 1);
  await new Promise<void>((resolve) => {
    const interrupts = countInterrupts(
      () => finish(),
      () => {},
    );
    const frames = createFrames({
      onKey: (input, key) => {
        if (input === 'q' || (key.ctrl && input === 'c')) finish();
      },
      live: (width, height) => {
        [columns, rows] = [width, height];
        // A blank keeps an empty row.
        return lines().map((line) => line || ' ');
      },
    });
    const timer = setInterval(async () => {
      const now = await statusOf(port);
      isThere = now !== undefined;
      status = now ?? status;
      if (!isThere) finish();
      else if (frames.ready) frames.draw([]);
    }, REFRESH_MS);
    const finish = () => {
      clearInterval(timer);
      interrupts.stop();
      void frames.end().then(resolve);
    };
  });
  for (const line of lines()) context.print(line);
  if (!isThere) context.tell('the proxy ended');
}
