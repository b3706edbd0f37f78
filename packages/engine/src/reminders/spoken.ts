import { contentText } from '../content.ts';
import type { Dialect, Reading, Result } from '../dialect.ts';
import { isSamePath } from '../note/ledger.ts';
import { argumentValues, callFacts } from '../text/calls.ts';
import { scanNames } from '../text/names.ts';
import type { ViewTurn } from '../view/view-turn.ts';
import type { Spoken } from './choose-lines.ts';
import { lineKeys } from './lines.ts';

/** A file that the newest messages speak of. */
export interface Topic extends Spoken {
  readonly file: string;
}

/** A topic while the messages are read. */
interface OpenTopic {
  readonly file: string;
  readonly lines: Set<string>;
  readonly numbers: Set<number>;
  /** The newest messages read it, so it is in front of the model already. */
  shown: boolean;
}

type Message<M> = readonly [reading: Reading, message: M];

/** The last answer of the model with its results, and what the user said after it. */
export function newestMessages<M>(turns: readonly ViewTurn<M>[]): Message<M>[] {
  const first = turns.findLastIndex(({ role }) => role === 'assistant');
  return turns
    .slice(Math.max(0, first))
    .flatMap(({ messages, readings }) => readings.map((reading, i) => [reading, messages[i] as M] as const));
}

/** The files that these messages are about: edited, named in words, or named by a result with a line; in this order. */
export function topicsOf<M>(dialect: Dialect<M>, messages: readonly Message<M>[]): Topic[] {
  const names = new Set<string>();
  const edited: OpenTopic[] = [];
  const others: OpenTopic[] = [];
  const meet = (file: string, list = others): OpenTopic => {
    const known = [...edited, ...others].find((topic) => isSamePath(topic.file, file));
    const topic = known ?? { file, lines: new Set(), numbers: new Set(), shown: false };
    if (!known) list.push(topic);
    return topic;
  };
  for (const [{ calls }] of messages)
    for (const call of calls) {
      scanNames(argumentValues(call), (name, kind) => kind !== 'path' && names.add(name));
      for (const { file, use, put = [], replaced = [] } of callFacts(call).uses)
        if (use === 'read') meet(file).shown = true;
        else if (use !== 'search')
          for (const key of lineKeys([...put, ...replaced].join('\n'))) meet(file, edited).lines.add(key);
    }
  for (const [{ words }, message] of messages)
    if (words) scanNames(dialect.text(message), (name, kind) => (kind === 'path' ? meet(name) : names.add(name)));
  for (const [{ results }] of messages)
    for (const result of results)
      for (const [file, numbers] of placesIn(result)) for (const number of numbers) meet(file).numbers.add(number);
  return [...edited, ...others]
    .filter(({ shown }) => !shown)
    .map(({ file, lines, numbers }) => ({ file, names, lines, numbers }));
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
