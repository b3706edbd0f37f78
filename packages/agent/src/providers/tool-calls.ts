import type { ApiCall, CallResult } from './api.ts';
import type { ProviderEvent, Tool } from './provider.ts';

/** What tool calls are run with. */
export interface CallSetup {
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  readonly emit: (event: ProviderEvent) => void;
  readonly fileChanged: (path: string) => void;
  /** What a result may not hold is taken out of it. */
  readonly clean: (text: string) => string;
}

/**
 * Runs the calls of one answer, each once, and gives their results in order: calls of `parallel` tools that stand side by
 * side at the same time, all others one after the other. Never throws: what fails, and what is cut short, is a result.
 */
export async function runCalls(calls: readonly ApiCall[], setup: CallSetup): Promise<CallResult[]> {
  const results: CallResult[] = [];
  const isParallel = (call: ApiCall | undefined) => call !== undefined && toolOf(call, setup)?.parallel === true;
  for (let at = 0; at < calls.length; ) {
    let end = at + 1;
    while (isParallel(calls[at]) && isParallel(calls[end])) end++;
    results.push(...(await Promise.all(calls.slice(at, end).map((call) => runCall(call, setup)))));
    at = end;
  }
  return results;
}

function toolOf({ name }: ApiCall, { tools }: CallSetup): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}

async function runCall(call: ApiCall, setup: CallSetup): Promise<CallResult> {
  const { id, name } = call;
  // What others do to their copy must not change what is sent back.
  setup.emit({ type: 'call-start', id, name, input: structuredClone(call.input) });
  const { text, failed } = await outcome({ ...call, input: structuredClone(call.input) }, setup);
  setup.emit({ type: 'call-end', id, name, failed });
  return { id, failed, text: wellFormed(setup.clean(text)) || '(no output)' };
}

async function outcome(call: ApiCall, setup: CallSetup): Promise<{ text: string; failed: boolean }> {
  const { signal, fileChanged } = setup;
  if (signal.aborted) return { text: 'Not run: the task was stopped.', failed: true };
  if (call.broken) return { text: 'Not run: the arguments are no JSON object. Send them again.', failed: true };
  const tool = toolOf(call, setup);
  if (!tool) {
    const names = setup.tools.map(({ name }) => name).join(', ');
    return { text: `There is no tool ${call.name}. There are: ${names || 'none'}.`, failed: true };
  }
  try {
    const running = Promise.resolve(tool.run(call.input, { call_id: call.id, signal, fileChanged }));
    const text: unknown = await untilStopped(running, signal);
    return { text: typeof text === 'string' ? text : (JSON.stringify(text) ?? ''), failed: false };
  } catch (error) {
    return { text: wordsOf(error), failed: true };
  }
}

/** What was thrown, in words; some of it has none. */
function wordsOf(error: unknown): string {
  const told = error instanceof Error ? error.message : error;
  if (typeof told === 'string' && told !== '') return told;
  try {
    return `The tool failed: ${JSON.stringify(told) || 'it did not say why'}`;
  } catch {
    return 'The tool failed.';
  }
}

/** A tool that does not listen to the signal must not hold up the end. */
async function untilStopped<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('Stopped before it was done.'));
    // The tool itself may have brought it about.
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([running, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** APIs refuse a text with half of a surrogate pair, as a cut may leave one. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{fffd}');
}
