import { argumentText } from '../calls/call-facts.ts';
import { contentText } from '../content/text.ts';
import type { Dialect, Handles, Reading } from '../dialect.ts';
import { identify, recognized } from '../dialects/identify.ts';
import { HoldfastError } from '../errors.ts';
import { PRIOR_SLOPE } from '../size/tokens.ts';
import { stateDialect, type WindowState } from '../state/state.ts';

type Counter = ((text: string) => number) | undefined;

/** What a caller changes in a dialect. */
interface Changes {
  readonly tokens?: Counter;
  readonly handles?: Handles | undefined;
}

/** The dialect of a window's messages. */
export interface Format<M> {
  /** Counts with the caller's counter, if there is one. */
  readonly dialect: Dialect<M>;
  readonly plain: Dialect<M>;
  /** False while the messages fit several dialects. */
  readonly certain: boolean;
}

export function formatOf<M>(dialect: Dialect | Dialect<M>, changes: Changes, certain: boolean): Format<M> {
  const { tokens, handles } = changes;
  const plain = (handles === undefined ? dialect : { ...dialect, handles }) as Dialect<M>;
  return { dialect: countedBy(plain, tokens), plain, certain };
}

/** The format that the caller named; the last of several, to be detected. Throws BAD_CONFIG. */
export function namedFormat<M>(given: Dialect<M> | readonly Dialect[], changes: Changes): Format<M> {
  const dialect = isList(given) ? given.at(-1) : given;
  if (typeof dialect?.read !== 'function')
    throw new HoldfastError('BAD_CONFIG', 'dialect: expected the name of a dialect or a Dialect', { key: 'dialect' });
  return formatOf<M>(dialect, changes, !isList(given));
}

/** The formats that messages may have. */
export function dialectsOf<M>(given: Dialect<M> | readonly Dialect[]): readonly Dialect[] {
  return isList(given) ? given : [given as Dialect];
}

function isList<M>(given: Dialect<M> | readonly Dialect[]): given is readonly Dialect[] {
  return Array.isArray(given);
}

/** The format of a state's messages. Throws BAD_STATE for a dialect that is not among these. */
export function stateFormat<M>(
  dialects: readonly Dialect[],
  { dialect: name, view }: WindowState<M>,
  changes: Changes,
  certain: boolean,
): Format<M> {
  const isCertain = certain || name !== dialects.at(-1)?.name || recognized(dialects, view) !== undefined;
  return formatOf<M>(stateDialect(dialects, name), changes, isCertain);
}

/** The dialect for messages outside the conversation. `plain`: without the caller's counter. */
export function dialectFor<M, T extends M>(
  { format, dialects }: { readonly format: Format<M>; readonly dialects: readonly Dialect[] },
  messages: readonly T[],
  plain = false,
): Dialect<T> {
  const own = (plain ? format.plain : format.dialect) as unknown as Dialect<T>;
  if (format.certain) return own;
  try {
    return identify(dialects, messages).dialect as Dialect<T>;
  } catch {
    return own;
  }
}

/** The dialect with the caller's counter for all texts except thinking, converted to characters at the initial rate. */
function countedBy<M>(dialect: Dialect<M>, tokens: Counter): Dialect<M> {
  if (!tokens) return dialect;
  const read = (message: M): Reading => {
    const reading = dialect.read(message);
    const results = reading.results.map(({ content }) => contentText(content));
    const texts = [reading.words ? dialect.text(message) : '', ...reading.calls.map(argumentText), ...results];
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    const counted = tokens(texts.join('\n'));
    if (typeof counted !== 'number' || !(counted >= 0 && counted < Number.POSITIVE_INFINITY))
      throw new HoldfastError('BAD_CONFIG', `parts.tokens returned ${String(counted)}: expected a number, 0 or more`);
    return { ...reading, chars: Math.ceil(counted / PRIOR_SLOPE + Math.max(0, reading.chars - chars)) };
  };
  return { ...dialect, read };
}
