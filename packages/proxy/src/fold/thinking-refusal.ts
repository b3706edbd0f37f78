import type { Readable } from 'node:stream';
import type { DialectName } from 'holdfast';
import { refusesThinking } from 'holdfast/rules';
import { decoded, joined } from '../body/read-body.ts';
import { headerIn } from '../http/headers.ts';
import type { Answer } from '../upstream/send.ts';

/** Errors about thinking are short; the rest of a longer one passes on unread. */
const MOST_BYTES = 1_000_000;

/**
 * Reads whether an answer is an error about thinking. The answer that it returns has all bytes of the first, and breaks off
 * where that does.
 */
export async function readThinkingRefusal(
  api: DialectName,
  first: Answer,
): Promise<{ readonly answer: Answer; readonly isRefusal: boolean }> {
  if (first.status !== 400 && first.status !== 404) return { answer: first, isRefusal: false };
  const { bytes, isWhole } = await readStart(first.body);
  const answer = { ...first, body: joined([bytes], first.body) };
  const page = isWhole ? await decoded(bytes, headerIn(first.headers, 'content-encoding'), MOST_BYTES) : undefined;
  return { answer, isRefusal: page !== undefined && refusesThinking(page.toString('utf8'), api) };
}

/** The first bytes of a body, and whether they are all of it. */
async function readStart(body: Readable): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MOST_BYTES) return { bytes: Buffer.concat(chunks), isWhole: false };
    }
    return { bytes: Buffer.concat(chunks), isWhole: true };
  } catch {
    // Whoever reads on meets the same error.
    return { bytes: Buffer.concat(chunks), isWhole: false };
  }
}
