import { callFacts } from '../calls/call-facts.ts';
import type { Call, Dialect } from '../dialect.ts';
import type { Memory } from '../history/memory.ts';
import { EMPTY_DIGEST } from '../note/digest.ts';
import { isSamePath } from '../note/ledger.ts';
import { handlePart } from '../quoting/quote.ts';
import { messageTexts, turnTexts, type ViewTurn } from '../view/view-turn.ts';
import { type Candidate, chooseLines, type KnownLine } from './choose-lines.ts';
import { lineKey, lineKeys, linesShown, withoutMedia } from './lines.ts';
import { type FileRecord, type ReadingAt, readingsOf, recordsAt } from './records.ts';
import type { Shown } from './render-reminder.ts';
import { namesAsked, newestMessages, type Spoken, spokenOf } from './spoken.ts';

/** Files that the newest messages are about, and other files that they may concern: each costs a few reads of the archive. */
const TOPICS = 10;
const RELATED = 12;
/** What a line of such another file is worth. From replays. */
const RELATED_WEIGHT = 0.3;
/** What a question may take of the room: the next answer to one is rarely an edit, which needs lines word for word. */
const ASKED_SHARE = 1 / 3;
/** Changes and reads of each file. A file in a run of edits has many; looking them up ends with one that shows the whole file. */
const CALLS = 16;
/** Names to look up. */
const THINGS = 2;
/** Fewer characters are not worth a reminder. */
const LEAST_CHARS = 40;
/** Characters of the words around the lines: of the whole reminder, and of each text in it. */
const LEAD_CHARS = 70;
const SECTION_CHARS = 100;

/** Returns the original at an index of the history; undefined if it is lost. */
export type Original<M> = (index: number) => Promise<M | undefined>;

/** A text that left the view, where it comes from, and what is spoken of in it. */
type Known = Candidate & Omit<Shown, 'runs'>;

/**
 * The missing lines that the newest messages are about, within this many characters: of the files that they edit or name, of
 * files read and not changed yet that have the same words as an edit, and around a name that the user asks about. If nothing
 * that left the view is known by name, it reads nothing.
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
  const changed = changesIn(view.turns);
  const spoken = spokenOf(dialect, newest, changed.length > 0);
  const handleOf = ({ at, part }: Pick<FileRecord, 'at' | 'part'>) =>
    dialect.handles === false ? undefined : handlePart(at, revisions, part);
  const known: Known[] = [];
  const readingAt = readingsOf(dialect, original);
  for (const { file, weight, lines: places, numbers, calls } of filesOf(memory, spoken, changed)) {
    const records = await recordsOf(file, calls, readingAt);
    for (const [i, lines] of currentLines(records).entries()) {
      const { text, written, ...place } = records[i] as FileRecord;
      known.push({ lines, weight, places, numbers, names: [], about: file, handle: handleOf(place), text, written });
    }
  }
  for (const [name, at] of thingsIn(dialect, memory, namesAsked(dialect, newest)).slice(0, THINGS)) {
    const message = await original(at);
    if (message === undefined) continue;
    const text = withoutMedia(messageTexts(dialect, message, dialect.read(message)).join('\n'));
    const [lines = []] = currentLines([{ text, replaced: '' }]);
    known.push({ ...NO_PLACES, lines, weight: 1, names: [name], about: name, handle: handleOf({ at }), text });
  }
  if (known.length === 0) return [];
  const isShown = linesShown(dialect, view);
  const isMissing = (key: string) => !isShown(key);
  const most = (spoken.asks ? ASKED_SHARE * room : room) - LEAD_CHARS;
  const { runs, chars } = chooseLines(known, spoken.words, isMissing, most, SECTION_CHARS);
  if (chars < LEAST_CHARS + SECTION_CHARS) return [];
  return known.flatMap((one) => {
    const chosen = runs.get(one);
    return chosen ? [{ ...one, runs: chosen }] : [];
  });
}

const NO_PLACES = { places: new Set<string>(), lines: new Set<string>(), numbers: new Set<number>() };

/** The files whose text left the view and may be needed next: the topics, and files that an edit may concern. */
function filesOf<M>(memory: Memory<M>, { topics, edits, read }: Spoken, changed: readonly Change[]) {
  const { files } = memory.log.at(-1)?.digest ?? EMPTY_DIGEST;
  const since = lastRewrite(memory.view.turns, memory.log);
  const gone = (file: string) => ({ file, calls: callsOn(memory, file, changed, since) });
  const isGone = ({ calls }: { calls: readonly number[] }) => calls.length > 0;
  const known = topics.map((topic) => ({ ...topic, ...gone(topic.file), weight: 1 }));
  const near = [...read, ...topics.map(({ file }) => file), ...changed.map(({ file }) => file)];
  const unchanged = edits ? files.filter(({ reads, changes }) => reads.length > 0 && changes.length === 0) : [];
  const related = unchanged
    .filter(({ path }) => !near.some((file) => isSamePath(file, path)))
    .map(({ path }) => ({ ...NO_PLACES, ...gone(path), weight: RELATED_WEIGHT }));
  return [...known.filter(isGone).slice(0, TOPICS), ...related.filter(isGone).slice(0, RELATED)];
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

/** The lines of each record, the newest first. Those that a later record has or replaced only mark their places. */
function currentLines(records: readonly Pick<FileRecord, 'text' | 'replaced'>[]): KnownLine[][] {
  const replaced = new Set<string>();
  const newer = new Set<string>();
  return records.map((one) => {
    const lines = one.text.split('\n').map((text, index) => {
      const key = lineKey(text);
      return { text, key, index, repeated: newer.has(key) || replaced.has(key) };
    });
    const kept = lineKeys(one.text);
    for (const key of lineKeys(one.replaced)) if (!kept.has(key)) replaced.add(key);
    for (const key of kept) newer.add(key);
    return lines;
  });
}

/** A message in the view whose calls change a file. */
interface Change {
  readonly file: string;
  readonly at: number;
}

/** The changes in the view: what was known of these files before may be out of date. */
function changesIn<M>(turns: readonly ViewTurn<M>[]): Change[] {
  return turns.flatMap(({ readings, from }) =>
    readings.flatMap(({ calls }, i) =>
      calls
        .flatMap((call) => callFacts(call).uses)
        .flatMap(({ file, use }) => (use === 'read' || use === 'search' ? [] : [{ file, at: from + i }])),
    ),
  );
}

/**
 * The newest messages after `since` with calls on this file: those whose text left the view, at least in part, and if there are
 * any, the changes in the view. The newest first.
 */
function callsOn<M>({ view, log }: Memory<M>, file: string, changed: readonly Change[], since: number): number[] {
  const known = log.at(-1)?.digest.files.filter(({ path }) => isSamePath(path, file)) ?? [];
  const changes = known.flatMap((one) => one.changes);
  const reads = known.flatMap((one) => one.reads.map(([at]) => at));
  for (const { cuts, readings, from } of view.turns)
    if (cuts.length > 0)
      readings.forEach(({ calls }, i) => {
        const uses = calls.flatMap((call) => callFacts(call).uses.filter((use) => isSamePath(use.file, file)));
        if (uses.some(({ use }) => use === 'read')) reads.push(from + i);
      });
  if (changes.length + reads.length === 0) return [];
  changes.push(...changed.flatMap((one) => (isSamePath(one.file, file) ? one.at : [])));
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
