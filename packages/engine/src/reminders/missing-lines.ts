import type { Call, Dialect } from '../dialect.ts';
import type { Memory } from '../history/memory.ts';
import { EMPTY_DIGEST } from '../note/digest.ts';
import { isSamePath } from '../note/ledger.ts';
import { callFacts } from '../text/calls.ts';
import { handlePart } from '../text/quote.ts';
import type { LineRange } from '../view/excerpt.ts';
import { messageTexts, turnTexts, type ViewTurn } from '../view/view-turn.ts';
import { chooseLines, type KnownLine, type Spoken } from './choose-lines.ts';
import { lineKey, lineKeys, linesShown, withoutMedia } from './lines.ts';
import { type FileRecord, type ReadingAt, readingsOf, recordsAt } from './records.ts';
import type { Shown } from './render-reminder.ts';
import { namesAsked, newestMessages, topicsOf } from './spoken.ts';

/**
 * Files, changes and reads of each, and things to look up for one reminder: each costs a few reads of the archive. A file in a
 * run of edits has many changes; looking them up ends with one that shows the whole file.
 */
const FILES = 3;
const CALLS = 16;
const THINGS = 2;
/** Fewer characters are not worth a reminder. */
const LEAST_CHARS = 40;
/** Characters of the words around the lines: of the whole reminder, and of each file or name in it. */
const LEAD_CHARS = 70;
const SECTION_CHARS = 100;
/** Share of the room for a file that is not being edited, and for a name. From replays: half as many of its lines are needed. */
const OTHER_SHARE = 0.15;

/** Returns the original at an index of the history; undefined if it is lost. */
export type Original<M> = (index: number) => Promise<M | undefined>;

/**
 * The missing lines that the newest messages are about, within this many characters: of the files that they edit or name, or
 * of a name that the user asks about. Without such a file or name that left the view it reads only the newest messages; if
 * nothing that left it is known by name, not even those.
 */
export async function missingLines<M>(
  dialect: Dialect<M>,
  memory: Memory<M>,
  original: Original<M>,
  room: number,
): Promise<Shown[]> {
  const { view, revisions, log } = memory;
  const { files, names } = log.at(-1)?.digest ?? EMPTY_DIGEST;
  if (files.length + names.length === 0 && !view.turns.some(({ cuts }) => cuts.length > 0)) return [];
  const newest = newestMessages(view.turns);
  const readingAt = readingsOf(dialect, original);
  const shown: Shown[] = [];
  let left = room - LEAD_CHARS;
  let isShown: ((key: string) => boolean) | undefined;
  const choose = (records: readonly (readonly KnownLine[])[], spoken: Spoken) => {
    isShown ??= linesShown(dialect, view);
    const most = Math.min(left, spoken.lines.size > 0 ? room : room * OTHER_SHARE + SECTION_CHARS);
    const { runs, chars } = chooseLines(records, spoken, (key) => !isShown?.(key), most, SECTION_CHARS);
    if (chars < LEAST_CHARS + SECTION_CHARS) return new Map<number, readonly LineRange[]>();
    left -= chars;
    return runs;
  };
  const handleOf = ({ at, part }: Pick<FileRecord, 'at' | 'part'>) =>
    dialect.handles === false ? undefined : handlePart(at, revisions, part);
  const known = topicsOf(dialect, newest).flatMap((topic) => {
    const calls = callsOn(memory, topic.file);
    return calls.length > 0 ? { ...topic, calls } : [];
  });
  for (const topic of known.slice(0, FILES)) {
    const records = await recordsOf(topic.file, topic.calls, readingAt);
    const chosen = choose(currentLines(records), topic);
    for (const [i, record] of records.entries()) {
      const runs = chosen.get(i);
      if (runs) shown.push({ ...record, about: topic.file, handle: handleOf(record), runs });
    }
  }
  for (const [name, at] of thingsIn(dialect, memory, namesAsked(dialect, newest)).slice(0, THINGS)) {
    const message = await original(at);
    if (message === undefined) continue;
    const text = withoutMedia(messageTexts(dialect, message, dialect.read(message)).join('\n'));
    const spoken = { names: new Set([name]), lines: new Set<string>(), numbers: new Set<number>() };
    const runs = choose(currentLines([{ text, replaced: '' }]), spoken).get(0);
    if (runs) shown.push({ about: name, handle: handleOf({ at }), text, runs });
  }
  return shown;
}

/** What is known of a file, the newest first, up to a record of the whole file. */
async function recordsOf(file: string, calls: readonly number[], readingAt: ReadingAt): Promise<FileRecord[]> {
  const found: FileRecord[] = [];
  for (const at of calls)
    for (const record of await recordsAt(file, at, readingAt)) {
      if (found.some((one) => one.at === record.at && one.text === record.text)) continue;
      found.push(record);
      if (record.whole) return found;
    }
  return found;
}

/** The lines of each record, the newest first, without those that a later record replaced. */
function currentLines(records: readonly Pick<FileRecord, 'text' | 'replaced'>[]): KnownLine[][] {
  const replaced = new Set<string>();
  const newer = new Set<string>();
  return records.map((one, record) => {
    const lines = one.text.split('\n').map((text, index) => {
      const key = lineKey(text);
      return { text, key, record, index, repeated: newer.has(key) };
    });
    const current = lines.filter(({ key }) => !replaced.has(key));
    const kept = lineKeys(one.text);
    for (const key of lineKeys(one.replaced)) if (!kept.has(key)) replaced.add(key);
    for (const key of kept) newer.add(key);
    return current;
  });
}

/** The newest messages with calls on this file whose text left the view, at least in part; the newest first. */
function callsOn<M>({ view, log }: Memory<M>, file: string): number[] {
  const known = log.at(-1)?.digest.files.filter(({ path }) => isSamePath(path, file)) ?? [];
  const changes = known.flatMap((one) => one.changes);
  const reads = known.flatMap((one) => one.reads.map(([at]) => at));
  for (const { cuts, readings, from } of view.turns)
    if (cuts.length > 0)
      readings.forEach(({ calls }, i) => {
        const uses = calls.flatMap((call) => callFacts(call).uses.filter((use) => isSamePath(use.file, file)));
        if (uses.some(({ use }) => use === 'read')) reads.push(from + i);
      });
  const since = lastRewrite(view.turns, log);
  const newest = (places: readonly number[], most?: number) =>
    [...new Set(places.filter((at) => at > since))].sort((a, b) => b - a).slice(0, most);
  return newest([...newest(changes, CALLS), ...newest(reads, CALLS)]);
}

/** Commands of git that may change any file. */
const REWRITES =
  /\bgit (?:(?:rebase|merge|pull|stash|cherry-pick|revert|reset --hard)(?![\w-]| list)|(?:checkout|switch) (?!-))/;

/** Index of the newest message of which is known that its command may have changed any file: earlier text may be out of date. */
function lastRewrite<M>(turns: readonly ViewTurn<M>[], log: Memory<M>['log']): number {
  const known = log.at(-1)?.digest.commands.findLast(([command]) => REWRITES.test(command))?.[1] ?? -1;
  const runs = (call: Call) => REWRITES.test(callFacts(call).command ?? '');
  const seen = turns.findLast(({ readings }) => readings.some(({ calls }) => calls.some(runs)))?.from ?? -1;
  return Math.max(known, seen);
}

/** Names that only the newest message still shows, with the index of the last message before it that had them. */
function thingsIn<M>(
  dialect: Dialect<M>,
  { view, log }: Memory<M>,
  names: ReadonlySet<string>,
): (readonly [name: string, at: number])[] {
  if (names.size === 0) return [];
  const facts = (log.at(-1)?.digest.names ?? []).filter(([name]) => names.has(name));
  if (facts.length === 0) return [];
  const texts = view.turns.slice(0, -1).flatMap((turn) => turnTexts(dialect, turn));
  return facts.flatMap(([name, , , , last]) =>
    texts.some((text) => text.includes(name)) ? [] : [[name, last] as const],
  );
}
