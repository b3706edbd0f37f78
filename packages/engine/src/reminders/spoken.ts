import { contentText } from '../content.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { argumentText, callFacts } from '../text/calls.ts';
import { scanNames } from '../text/names.ts';
import type { ViewTurn } from '../view/view-turn.ts';
import type { Spoken } from './choose-lines.ts';
import { lineKeys } from './lines.ts';
import { isSameFile } from './records.ts';

/** A file that the newest messages speak of. */
export interface Topic extends Spoken {
  readonly file: string;
}

/** A topic while the messages are read. */
interface OpenTopic {
  readonly file: string;
  readonly lines: Set<string>;
  readonly numbers: Set<number>;
  shown: boolean;
}

/** A place in a file, as compilers and test runners write it. */
const PLACE = /([\w@./-]*[\w@-]\.[A-Za-z]\w{0,5})[:(](\d{1,6})\b/g;
const RESULT_CHARS = 20_000;

/**
 * The files that the newest messages are about: edited, named in words, or named by a result with a line; in this order. A
 * file that they read is in front of the model already.
 */
export function topicsOf<M>(dialect: Dialect<M>, turns: readonly ViewTurn<M>[]): Topic[] {
  const names = new Set<string>();
  const edited: OpenTopic[] = [];
  const others: OpenTopic[] = [];
  const meet = (file: string, list = others): OpenTopic => {
    const known = [...edited, ...others].find((topic) => isSameFile(topic.file, file));
    const topic = known ?? { file, lines: new Set(), numbers: new Set(), shown: false };
    if (!known) list.push(topic);
    return topic;
  };
  const readings = turns.flatMap((turn) =>
    turn.readings.map((reading, i) => [reading, turn.messages[i] as M] as const),
  );
  for (const [{ calls }] of readings)
    for (const call of calls) {
      scanNames(argumentText(call), (name, kind) => kind !== 'path' && names.add(name));
      for (const { file, use, put = [], replaced = [] } of callFacts(call).uses)
        if (use === 'read') meet(file).shown = true;
        else if (use !== 'search')
          for (const key of lineKeys([...put, ...replaced].join('\n'))) meet(file, edited).lines.add(key);
    }
  for (const [{ words }, message] of readings)
    if (words) scanNames(dialect.text(message), (name, kind) => (kind === 'path' ? meet(name) : names.add(name)));
  for (const [{ results }] of readings) for (const result of results) meetPlaces(result, meet);
  return [...edited, ...others]
    .filter(({ shown }) => !shown)
    .map(({ file, lines, numbers }) => ({ file, names, lines, numbers }));
}

function meetPlaces({ content }: Reading['results'][number], meet: (file: string) => OpenTopic): void {
  const text = contentText(content).slice(0, RESULT_CHARS);
  for (const [, file = '', line] of text.matchAll(PLACE)) meet(file).numbers.add(Number(line));
}
