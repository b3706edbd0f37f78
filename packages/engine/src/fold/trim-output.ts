import { mediaIn } from '../content/blocks.ts';
import { contentText } from '../content/text.ts';
import type { Dialect } from '../dialect.ts';
import { type DialectName, detectDialect, dialectNamed } from '../dialects/detect.ts';
import { checkList } from '../errors.ts';
import { isRecord } from '../json/record.ts';
import { sliceText } from '../quoting/slice.ts';
import { TRIM_CHARS, TRUNCATED } from '../strategies/trimmer.ts';
import { readAt, turnStarts } from '../turns/read-turns.ts';
import { cutsOf, filled } from '../view/mask.ts';

import { withoutBound } from './trim.ts';

/** Options of `trimOldToolOutput`. */
export interface TrimOutputOptions<M> {
  readonly tool_output_trim_chars?: number;
  /** Default: detected from the messages. */
  readonly dialect?: Dialect<M> | DialectName;
}

/**
 * Cuts tool results to `tool_output_trim_chars` characters in all but the last exchange: the newest calls with their results
 * and what was said about them, or the user's words after them. Removes thinking that is bound to a cut message. Pure: keep
 * the originals, because nothing can recall them. Throws INVALID_HISTORY if this is not a list of messages.
 */
export function trimOldToolOutput<M>(messages: readonly M[], options: TrimOutputOptions<M> = {}): M[] {
  checkList(messages);
  const { tool_output_trim_chars: chars = TRIM_CHARS, dialect: given } = options;
  const named = typeof given === 'string' ? dialectNamed(given) : given;
  const dialect = (named ?? detectDialect(messages)) as Dialect<M>;
  const readings = messages.map((message, i) => (isRecord(message) ? readAt(dialect, message, i) : undefined));
  const starts = turnStarts(dialect, messages);
  let latest = readings.findLastIndex((one) => one?.role === 'user' || (one && one.results.length > 0));
  while (latest > 0 && !starts[latest]) latest--;
  let isCut = false;
  return messages.flatMap((message, i) => {
    const cuts = chars > 0 && i < latest && readings[i] ? cutsOf(readings[i], i, chars, '') : [];
    const texts = cuts.map(({ part }) => [part, truncated(readings[i]?.results[part]?.content, chars)] as const);
    isCut ||= texts.length > 0;
    if (texts.length > 0) return dialect.maskResults(message, new Map(texts));
    return isCut ? (withoutBound(dialect, message, starts[i]) ?? []) : message;
  });
}

function truncated(content: unknown, chars: number): string {
  const text = contentText(content);
  const media = mediaIn(content);
  return `${sliceText(text, 0, chars)}\n${filled(TRUNCATED, 'chars', text.length)}${media === '' ? '' : ` [${media}]`}`;
}
