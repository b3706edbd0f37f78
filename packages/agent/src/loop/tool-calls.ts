import { setImmediate } from 'node:timers/promises';
import type { CallResult } from '@holdfast/sessions';
import { MOST_LEVELS } from '@holdfast/sessions/foreign';
import { defined } from '../defined.ts';
import type { Checkpoint, CommandEnd, ProviderEvent, Tool, ToolContext } from '../providers/provider.ts';
import type { ApiCall, NamedResult } from './api.ts';
import { untilAborted } from './deadline.ts';
import type { OpenCalls } from './open-calls.ts';

/** What tool calls need to run. */
export interface CallSetup extends Required<Pick<ToolContext, 'signal' | 'fileChanged' | 'redactor' | 'recall'>> {
  readonly tools: readonly Tool[];
  readonly emit: (event: ProviderEvent) => void;
  readonly onResult: (result: CallResult) => void;
  readonly checkpoint: (checkpoint: Checkpoint) => Promise<void>;
  /** Records a result before it is reported; with the last one, `all` has every result in order. */
  readonly keep: (result: CallResult, all: readonly NamedResult[] | undefined) => Promise<void>;
}

/**
 * Runs the calls of one answer that have no result yet, each once, and returns all results in order. Adjacent calls of
 * `parallel` tools run concurrently, others in sequence. A failed or interrupted call is a result; throws only what
 * `checkpoint` and `keep` throw.
 */
export async function runCalls(open: OpenCalls, setup: CallSetup): Promise<CallResult[]> {
  const { calls } = open;
  const known = new Map(open.results.map((result) => [result.id, result]));
  const results = () =>
    calls.flatMap(({ id, name }): NamedResult[] => {
      const result = known.get(id);
      return result ? [{ ...result, name }] : [];
    });
  const ended = async (result: CallResult) => {
    known.set(result.id, result);
    const all = results();
    await setup.keep(result, all.length === calls.length ? all : undefined);
  };
  const [first, ...rest] = results();
  // An earlier process ran them all and recorded none.
  if (first && rest.length + 1 === calls.length) await ended(first);
  const isParallel = (call: ApiCall | undefined) => call !== undefined && toolOf(call, setup)?.parallel === true;
  for (let at = 0; at < calls.length; ) {
    let end = at + 1;
    while (isParallel(calls[at]) && isParallel(calls[end])) end++;
    await Promise.all(calls.slice(at, end).map((call) => known.has(call.id) || runCall(call, open, setup, ended)));
    at = end;
  }
  return results();
}

function toolOf({ name }: ApiCall, { tools }: CallSetup): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}

async function runCall(
  call: ApiCall,
  open: OpenCalls,
  setup: CallSetup,
  ended: (result: CallResult) => Promise<void>,
): Promise<void> {
  const { id, name } = call;
  if (setup.signal.aborted) return ended({ id, failed: true, text: 'Not run: the task was stopped.' });
  // Listeners and tools get copies, so that they cannot change what is sent back.
  setup.emit({ type: 'call-start', id, name, input: structuredClone(call.input) });
  const begun = open.begun.find((one) => one.id === id);
  const commands: CommandEnd[] = [];
  const context = {
    ...setup,
    commandEnded: (end: CommandEnd) => void commands.push(end),
    printed: (line: string) => setup.emit({ type: 'call-output', id, line }),
  };
  const { text, failed } = await outcome({ ...call, input: structuredClone(call.input) }, begun, context);
  const output = (setup.redactor.text(text).toWellFormed() || '(no output)') + (call.mended ? MENDED : '');
  const result: CallResult = { id, failed, text: output };
  // A stopped call has not ended: a resumed execution finds it started.
  if (!setup.signal.aborted) await setup.checkpoint({ type: 'result', ...result });
  await ended(result);
  const command = commands.at(-1);
  setup.onResult(result);
  const isFailed = failed || (command !== undefined && command.exitCode !== 0);
  setup.emit({ type: 'call-end', id, name, failed: isFailed, ...command });
}

const MENDED = '\n[The arguments held half of a character (a surrogate without its pair): U+FFFD stood in for it.]';

const INTERRUPTED =
  'The process was ended while this call ran: it may have been done, in whole or in part. Look before you repeat it.';

const STOPPED = Symbol('stopped');
const STOPPED_TEXT = 'Stopped before it was done.';

async function outcome(
  call: ApiCall,
  begun: OpenCalls['begun'][number] | undefined,
  setup: CallSetup & Pick<ToolContext, 'commandEnded' | 'printed'>,
): Promise<{ text: string; failed: boolean }> {
  const { signal, fileChanged, commandEnded, printed, recall, redactor } = setup;
  const { id } = call;
  if (call.broken) return { text: brokenText(call), failed: true };
  const tool = toolOf(call, setup);
  if (!tool) {
    const names = setup.tools.map(({ name }) => name).join(', ');
    return { text: `There is no tool ${call.name}. There are: ${names || 'none'}.`, failed: true };
  }
  if (!tool.repeatable && begun && begun.mark === undefined) return { text: INTERRUPTED, failed: true };
  if (!tool.repeatable && !begun) {
    const mark = tool.mark?.(call.input);
    await setup.checkpoint(defined({ type: 'call', id, mark }));
  }
  try {
    const reports = { fileChanged, commandEnded, printed };
    const context = defined({ callId: id, signal, ...reports, recall, redactor, interrupted: begun?.mark });
    const running = Promise.resolve(tool.run(call.input, context));
    // A tool that ignores the signal must not hold up the end; one that ends at once says how.
    const early: unknown = await untilAborted(running, signal, STOPPED);
    const text = early === STOPPED ? await Promise.race([running, setImmediate(STOPPED)]) : early;
    if (text === STOPPED) return { text: STOPPED_TEXT, failed: true };
    return { text: typeof text === 'string' ? text : (JSON.stringify(text) ?? ''), failed: false };
  } catch (error) {
    return { text: signal.aborted && isAbort(error) ? STOPPED_TEXT : wordsOf(error), failed: true };
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function brokenText({ beginning }: ApiCall): string {
  const shown = beginning === undefined ? '' : ` They began: ${beginning}`;
  return `Not run: the arguments are not a JSON object, or are nested over ${MOST_LEVELS} levels deep. Send them again.${shown}`;
}

/** The message of anything thrown. */
function wordsOf(error: unknown): string {
  const thrown = error instanceof Error ? error.message : error;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  try {
    return `The tool failed: ${JSON.stringify(thrown) || 'it did not say why'}`;
  } catch {
    return 'The tool failed.';
  }
}
