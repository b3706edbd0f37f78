import type { ChatMessage } from './chat.ts';

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

/** An unbroken run of this length is encoded data, and no literal; LITERAL would take quadratic time on it. */
const LONG_RUN = 4000;
const RUN_CHARACTER = /[\w@./-]/;

/** The literals of a message, in its text and in the arguments of its calls: what an agent needs exactly. Pure. */
export function literals(message: ChatMessage): Set<string> {
  return new Set(literalsIn(`${message.content ?? ''} ${argumentsOf(message).join(' ')}`));
}

/** The literals that the calls of a recorded answer use. Pure. */
export function neededLiterals(answer: ChatMessage): Set<string> {
  return new Set(argumentsOf(answer).flatMap(literalsIn));
}

function argumentsOf(message: ChatMessage): string[] {
  return (message.tool_calls ?? []).map((call) => call.function.arguments);
}

/** Every literal in a text, as often as it stands there. Pure. */
export function literalsIn(text: string): string[] {
  const words = withoutLongRuns(text).match(LITERAL) ?? [];
  return words.filter((word) => word.length >= SHORTEST && word.length <= LONGEST);
}

function withoutLongRuns(text: string): string {
  const kept: string[] = [];
  let from = 0;
  let start = 0;
  while (start + LONG_RUN <= text.length) {
    const end = start + LONG_RUN;
    const runStart = startOfRun(text, start, end);
    if (runStart === start) {
      const runEnd = endOfRun(text, end);
      kept.push(text.slice(from, start));
      from = runEnd;
      start = runEnd;
    } else {
      start = runStart;
    }
  }
  return from === 0 ? text : [...kept, text.slice(from)].join(' ');
}

/** Looks back from `end`, so that text with breaks is passed over in steps of LONG_RUN. */
function startOfRun(text: string, start: number, end: number): number {
  let place = end;
  while (place > start && RUN_CHARACTER.test(text.charAt(place - 1))) place -= 1;
  return place;
}

function endOfRun(text: string, end: number): number {
  let place = end;
  while (place < text.length && RUN_CHARACTER.test(text.charAt(place))) place += 1;
  return place;
}
