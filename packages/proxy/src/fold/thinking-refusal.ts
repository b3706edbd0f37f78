import { Readable } from 'node:stream';
import type { DialectName } from 'holdfast';
import { refusesThinking } from 'holdfast/rules';
import { decoded } from '../body/read-body.ts';
import { headerIn } from '../http/headers.ts';
import type { Answer } from '../upstream/send.ts';

/** Errors are short; a longer one passes on unread. */
const MOST_BYTES = 1_000_000;

/**
 * Reads whether an answer is an error about thinking. The answer that it returns has all bytes of the first: of an error they are
 * read already. Any other answer is left alone. Rejects if the upstream breaks off.
 */
export async function readThinkingRefusal(
  api: DialectName,
  first: Answer,
): Promise<{ readonly answer: Answer; readonly isRefusal: boolean }> {
  if (first.status !== 400 && first.status !== 404) return { answer: first, isRefusal: false };
  const body = Buffer.concat(await first.body.toArray());
  const answer = { ...first, body: Readable.from([body]) };
  const page = await decoded(body, headerIn(first.headers, 'content-encoding'), MOST_BYTES);
  return { answer, isRefusal: page !== undefined && refusesThinking(page.toString('utf8'), api) };
}
