import type { ChatMessage } from './chat.ts';
import { isCommonName } from './common-names.ts';
import { argumentValues, readableText, unescaped } from './message-text.ts';

const KINDS = [
  /(?:[\w@.-]*\/)+[\w@.-]+/, // paths
  /[\w-]+\.[a-zA-Z]{1,5}\b/, // file names
  /\b[a-z]+(?:[A-Z][a-z0-9]+)+\b/, // camelCase
  /\b(?:[A-Z][a-z0-9]+){2,}\b/, // PascalCase
  /\b\w+_\w+\b/, // snake_case
  /\b[0-9a-f]{7,40}\b/, // hashes
  /\b\d{3,}\b/, // numbers
];
const LITERAL = new RegExp(KINDS.map((kind) => kind.source).join('|'), 'g');
const SHORTEST = 4;
const LONGEST = 199;

/** An unbroken run of this length is encoded data, not a literal; LITERAL would take quadratic time on it. */
const LONG_RUN = 4000;
const RUN = /[\w@./-]+/g;

/** The literals in a message's text and in the values of its calls: what an agent needs exactly. Pure. */
export function literals(message: ChatMessage): Set<string> {
  return new Set(literalsIn(readableText(message)));
}

/** The literals that the calls of a recorded answer use. Pure. */
export function neededLiterals({ tool_calls: calls = [] }: ChatMessage): Set<string> {
  return new Set(calls.flatMap((call) => literalsIn(unescaped(argumentValues(call)))));
}

/** Every literal in a text, including repeats, without the names that every project has. Pure. */
export function literalsIn(text: string): string[] {
  const words = withoutLongRuns(text).match(LITERAL) ?? [];
  return words.filter((word) => word.length >= SHORTEST && word.length <= LONGEST && !isCommonName(word));
}

function withoutLongRuns(text: string): string {
  return text.length < LONG_RUN ? text : text.replace(RUN, (run) => (run.length < LONG_RUN ? run : ' '));
}
