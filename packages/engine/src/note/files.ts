import { callFacts } from '../calls/call-facts.ts';
import type { Dialect } from '../dialect.ts';
import { scanNames } from '../names/scan-names.ts';
import type { ViewTurn } from '../view/view-turn.ts';
import type { Digest } from './digest.ts';
import { ByPath } from './ledger.ts';

/** Whether one of these files was changed, or named by the user, before an index of the history. */
export interface FileFacts {
  edited(files: readonly string[], at: number): boolean;
  named(files: readonly string[], at: number): boolean;
}

/** Facts from the calls and the user's words of these turns, and from the digest for calls that left the view. Pure. */
export function fileFacts<M>(dialect: Dialect<M>, turns: readonly ViewTurn<M>[], digest: Digest): FileFacts {
  const changed = new ByPath<number>();
  const said = new ByPath<number>();
  const meet = (met: ByPath<number>, file: string, at: number) => met.set(file, Math.min(at, met.get(file) ?? at));
  for (const { path, since } of digest.files) if (since !== undefined) meet(changed, path, since);
  for (const { asks, from, messages, readings } of turns)
    readings.forEach(({ calls }, i) => {
      for (const call of calls) {
        const { kind, files } = callFacts(call);
        if (kind === 'write') for (const file of files) meet(changed, file, from + i);
      }
      if (asks)
        scanNames(dialect.text(messages[i] as M), (name, kind) => {
          if (kind === 'path') meet(said, name, from + i);
        });
    });
  const before = (met: ByPath<number>) => (files: readonly string[], at: number) =>
    files.some((file) => (met.get(file) ?? at) < at);
  return { edited: before(changed), named: before(said) };
}
