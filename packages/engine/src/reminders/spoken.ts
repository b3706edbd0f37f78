import { contentText } from '../content.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { fileName } from '../note/files.ts';
import { argumentText, callFacts } from '../text/calls.ts';
import { scanNames } from '../text/names.ts';
import type { ViewTurn } from '../view/view-turn.ts';
import type { Spoken } from './choose-lines.ts';
import { lineKeys } from './lines.ts';

/** A file that the newest messages speak of, by its name without folders. */
export interface Topic extends Spoken {
  readonly file: string;
}

/** A place in a file, as compilers and test runners write it. */
const PLACE = /([\w@.-]+\.[A-Za-z]\w{0,5})[:(](\d{1,6})\b/g;
const RESULT_CHARS = 20_000;

/** The files that the newest messages are about: edited, named in words, or named by a result with a line. The most likely first. */
export function topicsOf<M>(dialect: Dialect<M>, turns: readonly ViewTurn<M>[]): Topic[] {
  const names = new Set<string>();
  const edited = new Map<string, Set<string>>();
  const said = new Set<string>();
  const read = new Set<string>();
  const numbers = new Map<string, Set<number>>();
  const meetName = (name: string, kind: string) => {
    if (kind === 'path') said.add(fileName(name));
    else names.add(name);
  };
  for (const { messages, readings } of turns)
    readings.forEach(({ words, calls, results }: Reading, i) => {
      if (words) scanNames(dialect.text(messages[i] as M), meetName);
      for (const call of calls) {
        scanNames(argumentText(call), (name, kind) => kind !== 'path' && names.add(name));
        for (const { file, use, put = [], replaced = [] } of callFacts(call).uses) {
          const name = fileName(file);
          if (use === 'read') read.add(name);
          else if (use !== 'search')
            edited.set(name, new Set([...(edited.get(name) ?? []), ...lineKeys([...put, ...replaced].join('\n'))]));
        }
      }
      for (const { content } of results)
        for (const [, file = '', line] of contentText(content).slice(0, RESULT_CHARS).matchAll(PLACE)) {
          const places = numbers.get(file) ?? new Set();
          numbers.set(file, places.add(Number(line)));
        }
    });
  const files = [...new Set([...edited.keys(), ...said, ...numbers.keys()])].filter((file) => !read.has(file));
  return files.map((file) => ({
    file,
    names,
    lines: edited.get(file) ?? new Set(),
    numbers: numbers.get(file) ?? new Set(),
  }));
}
