import { randomInt } from 'node:crypto';
import {
  type CrewEvent,
  type CrewExecutor,
  type CrewMessage,
  type CrewResult,
  createCrewSession,
  runInSession,
} from '@holdfast/crew';
import type { SessionStore } from '@holdfast/sessions';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { namedStoreFiles, trustedStore, withStore } from '../sessions/open-store.ts';
import { askPerson, waitingLines } from './answer.ts';
import { type CrewFlags, openCrewFile } from './open.ts';
import { showCrew } from './view.ts';

/** The flags of `holdfast crew run`. */
export interface CrewRunFlags extends CrewFlags {
  readonly json?: boolean;
  readonly session?: string;
  readonly store?: string;
}

const CODES: Readonly<Record<CrewResult['status'], ExitCode>> = {
  complete: EXIT.done,
  paused: EXIT.done,
  stopped: EXIT.outOfBudget,
  failed: EXIT.failed,
  cancelled: EXIT.interrupted,
};

/**
 * Asks a crew and shows it at work. If it asks back, the person at the terminal answers; without one, prints what to type.
 * Throws WrongUse, BAD_CONFIG, and the store's errors.
 */
export async function runCrewFile(path: string, question: string, flags: CrewRunFlags, given: Context): Promise<void> {
  if (!/\S/.test(question)) throw new WrongUse('the question is empty: say what you want done');
  const context = await trustedStore(flags, given, { crew: path });
  const stop = new AbortController();
  // No logger: the view shows the same facts as events.
  const crew = await openCrewFile(path, flags, context, { unreachable: namedStoreFiles(flags, context) });
  const end = () => stop.abort();
  try {
    for (const line of [...crew.notice, ...crew.warnings]) context.tell(line);
    context.onOutputClosed(end);
    process.on('SIGTERM', end);
    const result = await withHistory(crew.executor, flags, context, stop.signal, async (events) => {
      for (let [words, history]: [string, readonly CrewMessage[]] = [question, []]; ; ) {
        const agents = Object.keys(crew.executor.crew.agents);
        const options = { json: flags.json ?? false, agents, env: context.env, onInterrupt: end };
        const result = await showCrew(events(words, history), options);
        const answer = await answerTo(result, flags, stop.signal);
        if (!result || answer === undefined) return result;
        [words, history] = [answer, result.history];
      }
    });
    if (result) context.end(CODES[result.status]);
    if (result?.status === 'paused' && !flags.json)
      for (const line of waitingLines(path, question, flags, `question-${randomInt(1_000, 10_000)}`))
        context.tell(line);
  } finally {
    process.off('SIGTERM', end);
    await crew.close();
  }
}

/** The person's answer to an agent's question; undefined if there is no question or no person. */
async function answerTo(result: CrewResult | undefined, flags: CrewRunFlags, signal: AbortSignal) {
  if (result?.status !== 'paused' || flags.json) return undefined;
  return await askPerson(`\nyour answer to ${result.agent ?? 'the crew'}: `, signal);
}

/** Reads and keeps messages in the session, if there is one. */
async function withHistory<T>(
  executor: CrewExecutor,
  flags: CrewRunFlags,
  context: Context,
  signal: AbortSignal,
  work: (events: (words: string, history: readonly CrewMessage[]) => AsyncIterable<CrewEvent>) => Promise<T>,
): Promise<T> {
  const { session } = flags;
  if (session === undefined) return await work((words, history) => executor.executeStream(words, history, { signal }));
  const inStore = async (store: SessionStore) => {
    if (!(await store.info(session))) await createCrewSession(store, { id: session });
    return await work((words) => runInSession(executor, store, session, words, signal));
  };
  return await withStore(flags, context, inStore, true);
}
