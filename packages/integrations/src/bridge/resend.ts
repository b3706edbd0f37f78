import { refusesThinking } from 'holdfast/rules';
import type { Bounded } from './bridge.ts';

/** Sends a view; if the API refuses its thinking, once more without. Rejects as `send` does. */
export async function answerTo<N, A>(view: Bounded<N>, send: (messages: N[]) => PromiseLike<A>): Promise<A> {
  try {
    return await send(view.messages);
  } catch (error) {
    return send(await secondAttempt(view, error));
  }
}

/** The same for answers that are streamed. APIs refuse a request before they stream anything. */
export async function* streamTo<N, P, A>(
  view: Bounded<N>,
  send: (messages: N[]) => AsyncIterable<P, A>,
): AsyncGenerator<P, A> {
  try {
    return yield* send(view.messages);
  } catch (error) {
    return yield* send(await secondAttempt(view, error));
  }
}

async function secondAttempt<N>(view: Bounded<N>, error: unknown): Promise<N[]> {
  const bare = await view.withoutThinking(error);
  if (!bare) throw error;
  return bare;
}

/** Where errors have their words, or those of the API's client that they wrap. Others may quote the conversation. */
const WORDS = ['message', 'errorMessage', 'code', 'responseBody', 'data', 'error', 'cause'];
const DEPTH = 5;

/** True if an error, as a framework reports it, is that of an API that refuses the thinking in a request. Pure. */
export function isThinkingRefusal(error: unknown, depth = DEPTH): boolean {
  if (typeof error === 'string') return refusesThinking(error);
  if (typeof error !== 'object' || error === null || depth === 0) return false;
  return WORDS.some((key) => isThinkingRefusal((error as Readonly<Record<string, unknown>>)[key], depth - 1));
}
