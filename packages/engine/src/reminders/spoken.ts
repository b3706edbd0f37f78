import { callFacts } from '../calls/call-facts.ts';
import { contentText } from '../content/text.ts';
import type { Dialect, Reading, Result } from '../dialect.ts';
import { scanNames } from '../names/scan-names.ts';
import { isSamePath } from '../note/ledger.ts';
import { pointsBack } from '../statements/statements.ts';
import type { ViewTurn } from '../view/view-turn.ts';
import { lineKeys } from './lines.ts';
import { eachWord } from './words.ts';

/** A file that the newest messages are about, and the places in it that they point to. */
export interface Topic {
  readonly file: string;
  /** Lines that an edit replaced or wrote. */
  readonly lines: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
}

/** What the newest messages speak of. */
export interface Spoken {
  /** Files that they edit, then those that they name in words, then those that a result points into. */
  readonly topics: readonly Topic[];
  /** Words of what they changed and said. */
  readonly words: ReadonlySet<string>;
  /** True if they change a file. */
  readonly edits: boolean;
  /** Files that they read, which are in front of the model already. */
  readonly read: readonly string[];
  /** True if they only ask: the user spoke last, and no change is under way. */
  readonly asks: boolean;
}

/** A topic while the messages are read. */
interface OpenTopic {
  readonly file: string;
  readonly lines: Set<string>;
  readonly numbers: Set<number>;
}

type Message<M> = readonly [reading: Reading, message: M];

/** The last answer of the model with its results, and what the user said after it. */
export function newestMessages<M>(turns: readonly ViewTurn<M>[]): Message<M>[] {
  const first = turns.findLastIndex(({ role }) => role === 'assistant');
  return turns
    .slice(Math.max(0, first))
    .flatMap(({ messages, readings }) => readings.map((reading, i) => [reading, messages[i] as M] as const));
}

/** True if the user speaks, not a harness that adds words to results. */
function isUsersTurn({ role, words, results }: Reading): boolean {
  return role === 'user' && words && results.length === 0;
}

/**
 * What these messages speak of. If the user spoke last, and no change is under way (`changing`), what the assistant said and
 * found before is no reason for a reminder, unless the user points back to it: "yes, do this". Pure.
 */
export function spokenOf<M>(dialect: Dialect<M>, messages: readonly Message<M>[], changing: boolean): Spoken {
  const words = new Set<string>();
  const edited: OpenTopic[] = [];
  const others: OpenTopic[] = [];
  const read: string[] = [];
  const meet = (file: string, list = others): OpenTopic => {
    const known = [...edited, ...others].find((topic) => isSamePath(topic.file, file));
    const topic = known ?? { file, lines: new Set(), numbers: new Set() };
    if (!known) list.push(topic);
    return topic;
  };
  const hear = (text: string) => eachWord(text, (word) => words.add(word));
  for (const [{ calls }] of messages)
    for (const call of calls)
      for (const { file, use, put = [], replaced = [] } of callFacts(call).uses)
        if (use === 'read') read.push(file);
        else if (use !== 'search') {
          const text = [...put, ...replaced].join('\n');
          const { lines } = meet(file, edited);
          for (const key of lineKeys(text)) lines.add(key);
          hear(text);
        }
  const last = messages.findLastIndex(([reading]) => isUsersTurn(reading));
  const [, spokenLast] = messages[last] ?? [];
  const asked = changing || (spokenLast !== undefined && pointsBack(dialect.text(spokenLast))) ? -1 : last;
  const heard = messages.slice(Math.max(0, asked));
  for (const [reading, message] of heard)
    if (reading.words) {
      const text = dialect.text(message);
      hear(text);
      scanNames(text, (name, kind) => kind === 'path' && meet(name));
    }
  for (const [{ results }] of heard)
    for (const result of results)
      for (const [file, numbers] of placesIn(result)) for (const number of numbers) meet(file).numbers.add(number);
  const topics = [...edited, ...others].filter(({ file }) => !read.some((one) => isSamePath(one, file)));
  return { topics, words, edits: edited.length > 0, read, asks: asked >= 0 && edited.length === 0 };
}

/** The end of a file's name and a line, as compilers and test runners write them. */
const PLACE = /\.[A-Za-z]\w{0,5}[:(](\d{1,6})\b/g;
const PATH_END = /(?:\b[A-Za-z]:)?[\w@./\\-]{1,200}$/;
const RESULT_CHARS = 20_000;
/** A result that names more files is a list, and about none of them. */
const MOST_FILES = 3;

/** The lines of files that a result points to. */
function placesIn({ content }: Result): ReadonlyMap<string, ReadonlySet<number>> {
  const text = contentText(content).slice(0, RESULT_CHARS);
  const found = new Map<string, Set<number>>();
  for (const match of text.matchAll(PLACE)) {
    const end = match.index + match[0].search(/[:(]/);
    const [file] = PATH_END.exec(text.slice(Math.max(0, end - 200), end)) ?? [];
    if (file === undefined) continue;
    found.set(file, (found.get(file) ?? new Set()).add(Number(match[1])));
    if (found.size > MOST_FILES) return new Map();
  }
  return found;
}

/** Names, ids and numbers in the user's words, if the user spoke last. */
export function namesAsked<M>(dialect: Dialect<M>, messages: readonly Message<M>[]): ReadonlySet<string> {
  const names = new Set<string>();
  const [reading, message] = messages.at(-1) ?? [];
  if (reading?.role === 'user' && message !== undefined)
    scanNames(dialect.text(message), (name, kind) => kind !== 'path' && names.add(name));
  return names;
}
