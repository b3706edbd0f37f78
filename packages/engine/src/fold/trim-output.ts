import { contentText, isRecord, mediaIn, sliceText } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import { type DialectName, dialectNamed, identify } from '../dialects/detect.ts';
import { TRUNCATED } from '../strategies/trimmer.ts';
import { checkList, readAt, turnStarts } from '../turns/read-turns.ts';
import { cutsOf, filled } from '../view/mask.ts';
import { unbound } from './prune.ts';

/** What `trimOldToolOutput` takes. */
export interface TrimOutputOptions<M> {
  /** Default 2000. */
  readonly tool_output_trim_chars?: number;
  /** Default: found out from the messages. */
  readonly dialect?: Dialect<M> | DialectName;
}

/**
 * The messages with tool results over `tool_output_trim_chars` cut to them in all but the last exchange: the newest calls
 * with what was said to their results, or the user's words after them. What stands behind a cut loses thinking that is bound
 * to it. Stateless and pure: keep the originals, nothing recalls them. Throws INVALID_HISTORY for what is no list of messages.
 */
export function trimOldToolOutput<M>(messages: readonly M[], options: TrimOutputOptions<M> = {}): M[] {
  checkList(messages);
  const { tool_output_trim_chars: chars = 2_000, dialect: given } = options;
  const named = typeof given === 'string' ? dialectNamed(given) : given;
  const dialect = (named ?? identify(messages).dialect) as Dialect<M>;
  const readings = messages.map((message, i) => (isRecord(message) ? readAt(dialect, message, i) : undefined));
  const starts = turnStarts(dialect, messages);
  let latest = readings.findLastIndex((one) => one?.role === 'user' || (one && one.results.length > 0));
  while (latest > 0 && !starts[latest]) latest--;
  let isCut = false;
  return messages.flatMap((message, i) => {
    const cuts = chars > 0 && i < latest && readings[i] ? cutsOf(readings[i], i, chars, () => undefined, '') : [];
    const texts = cuts.map(({ part }) => [part, truncated(readings[i]?.results[part]?.content, chars)] as const);
    isCut ||= texts.length > 0;
    if (texts.length > 0) return dialect.maskResults(message, new Map(texts));
    return isCut ? (unbound(dialect, message, starts[i]) ?? []) : message;
  });
}

function truncated(content: unknown, chars: number): string {
  const text = contentText(content);
  const media = mediaIn(content);
  return `${sliceText(text, 0, chars)}\n${filled(TRUNCATED, 'chars', text.length)}${media === '' ? '' : ` [${media}]`}`;
}
