import { type CrewMessage, type CrewResult, createCrewSession, runInSession } from '@holdfast/agent/crew';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { withStore } from '../sessions/open-store.ts';
import { type CrewFlags, openCrewFile } from './open.ts';
import { createCrewView } from './view.ts';

/** What the flags of `holdfast crew run` gave. */
export interface CrewRunFlags extends CrewFlags {
  readonly json?: boolean;
  readonly session?: string;
  readonly store?: string;
}

const CODES: Readonly<Record<CrewResult['status'], ExitCode>> = {
  complete: EXIT.done,
  paused: EXIT.done,
  stopped: EXIT.out_of_budget,
  failed: EXIT.failed,
  cancelled: EXIT.interrupted,
};

/** Asks a crew one question and shows it at work. Throws WrongUse, BAD_CONFIG, or what a store throws. */
export async function runCrewFile(
  path: string,
  question: string,
  flags: CrewRunFlags,
  context: Context,
): Promise<void> {
  if (!/\S/.test(question)) throw new WrongUse('the question is empty: say what is to be done');
  const stop = new AbortController();
  // What is worth a line is an event, too, and the view shows it.
  const crew = await openCrewFile(path, flags, context);
  try {
    for (const line of [...crew.notice, ...crew.warnings]) context.tell(line);
    const view = await createCrewView({
      json: flags.json ?? false,
      agents: Object.keys(crew.executor.crew.agents),
      env: context.env,
      stdout: process.stdout,
      stderr: process.stderr,
      stdin: process.stdin,
      onInterrupt: () => stop.abort(),
    });
    context.whenUnread(() => stop.abort());
    const end = () => stop.abort();
    process.on('SIGTERM', end);
    let result: CrewResult | undefined;
    try {
      await withHistory(flags, context, async (events) => {
        for await (const event of events(crew.executor, question, stop.signal)) {
          view.onEvent(event);
          if (event.type === 'result') result = event.result;
        }
      });
    } finally {
      process.off('SIGTERM', end);
      await view.end(result);
    }
    if (result) context.end(CODES[result.status]);
    if (result?.status === 'paused' && flags.session === undefined && !flags.json)
      context.tell('the crew waits for your answer: ask with --session NAME to be able to give one');
  } finally {
    await crew.close();
  }
}

type Events = (
  executor: Parameters<typeof runInSession>[0],
  question: string,
  signal: AbortSignal,
) => ReturnType<typeof runInSession>;

/** With a session its messages are read and kept; without one the question stands alone. */
async function withHistory(
  { session, store: named }: CrewRunFlags,
  context: Context,
  work: (events: Events) => Promise<void>,
): Promise<void> {
  const none: readonly CrewMessage[] = [];
  if (session === undefined)
    return await work((executor, question, signal) => executor.executeStream(question, none, { signal }));
  await withStore(
    named === undefined ? {} : { store: named },
    context,
    async (store) => {
      if (!(await store.info(session))) await createCrewSession(store, { id: session });
      await work((executor, question, signal) => runInSession(executor, store, session, question, signal));
    },
    true,
  );
}
