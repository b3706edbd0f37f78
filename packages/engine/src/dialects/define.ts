import { quotedResult } from '../content/quoted-result.ts';
import { contentText } from '../content/text.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { isRecord } from '../json/record.ts';

/** What a dialect must read in a message, and what it may: without the rest, the message has nothing of it. */
export type DialectReading = Pick<Reading, 'role' | 'calls' | 'results'> & Partial<Reading>;

/**
 * What a dialect must say of its wire format. What it leaves out has a default: `chars` of a reading are those of its text, calls
 * and results, `words` whether it has text; results may be in several messages, call ids repeat and system messages be anywhere;
 * thinking is `free`, and there is none to remove; there are no limits, cache markers or further rules; only results are shortened;
 * a result without its call becomes one of the
 * user, and a message that cannot be read is refused.
 */
export type DialectDefinition<M> = Pick<Dialect<M>, 'name' | 'text' | 'note' | 'answer' | 'maskResults'> &
  Partial<Omit<Dialect<M>, 'read'>> & {
    /** Called once per message, so keep it cheap. */
    read(message: M): DialectReading;
  };

/** The dialect with every default filled in. Pure. */
export function defineDialect<M>(definition: DialectDefinition<M>): Dialect<M> {
  const read = (message: M): Reading => readingOf(definition, message) ?? UNREADABLE;
  return {
    thinking: 'free',
    uniqueCallIds: false,
    resultsTogether: false,
    splitResponses: false,
    systemInside: 'anywhere',
    limits: {},
    maskText: (message) => message,
    withoutThinking: (message) => message,
    withMarkers: (message) => message,
    quote(message, parts) {
      const quoted = read(message).results.filter((_, part) => parts.has(part));
      return quoted.map(({ id, content }) => definition.note('user', quotedResult(id, contentText(content))));
    },
    recognizes: (message) => (isRecord(message) ? undefined : false),
    ...definition,
    read,
    validate: (messages, request) => [
      ...messages.flatMap((message, index) => (readingOf(definition, message) ? [] : [{ index, ...UNKNOWN }])),
      ...(definition.validate?.(messages, request) ?? []),
    ],
  };
}

const UNREADABLE: Reading = {
  role: 'user',
  chars: 0,
  media: 0,
  calls: [],
  results: [],
  words: false,
  thinking: false,
  markers: 0,
  joined: false,
  firm: false,
};
/** The rule that a message breaks which the dialect cannot read. */
const UNKNOWN = { rule: 'unreadable', fix: 'Pass a message that read() and text() of the dialect understand.' };

/** The whole reading; undefined for what is not a message. */
function readingOf<M>(definition: DialectDefinition<M>, message: M): Reading | undefined {
  try {
    const given = definition.read(message);
    const text = definition.text(message);
    if (!ROLES.has(given.role) || typeof text !== 'string') return undefined;
    const calls = given.calls.map(
      ({ name, input }) => name + (typeof input === 'string' ? input : JSON.stringify(input)),
    );
    const results = given.results.map(({ content }) => contentText(content));
    const chars = [text, ...calls, ...results].reduce((sum, part) => sum + part.length, 0);
    return { ...UNREADABLE, chars, words: text !== '', ...given };
  } catch {
    return undefined;
  }
}

const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool']);
