import { isDue } from '../fold/ask-strategy.ts';
import type { Memory } from '../history/memory.ts';
import { originalAt } from '../history/recall.ts';
import { chooseLines } from '../reminders/choose-lines.ts';
import { lineKeys, linesShown } from '../reminders/lines.ts';
import { type FileRecord, isSameFile, type ReadingAt, readingsOf, recordsAt } from '../reminders/records.ts';
import { reminderText, type Shown } from '../reminders/render-reminder.ts';
import { topicsOf } from '../reminders/spoken.ts';
import { type Budget, exceeds } from '../size/budget.ts';
import { NO_LOAD, tokensOf } from '../size/tokens.ts';
import { callFacts } from '../text/calls.ts';
import { handlePart, own } from '../text/quote.ts';
import { sizeOf, viewLoad } from '../view/view.ts';
import { type Reminder, remindTurn, type ViewTurn } from '../view/view-turn.ts';
import type { Core } from './core.ts';

/** A reminder that `fit` added, where its lines come from, and what it costs. */
export interface NewReminder extends Reminder {
  readonly handles: readonly string[];
  readonly tokens: number;
}

/** A reminder may take this many tokens, and this share of the room for messages. */
const REMINDER_TOKENS = 1_000;
const REMINDER_SHARE = 0.025;
/** Files and calls to look up for one reminder: each costs a few reads of the archive. */
const TOPICS = 3;
const CALLS = 3;
/** Fewer characters are not worth a reminder. */
const LEAST_CHARS = 40;

/**
 * Adds to the newest message what is known of the files that the newest messages are about and that left the view. Undefined
 * if nothing is missing, or there is no place or room for it. What the archive has lost does not come back.
 */
export async function addReminder<M>(core: Core<M>, budget: Budget): Promise<NewReminder | undefined> {
  const { memory, calibration } = core;
  const { dialect } = core.format;
  const { turns } = memory.view;
  const newest = turns.at(-1);
  if (!core.config.reminders || memory.log.length === 0 || !newest || newest.reminder) return undefined;
  const at = newest.from + newest.messages.length - 1;
  if (at !== memory.seen - 1 || newest.cuts.some((cut) => cut.at === at)) return undefined;
  const size = sizeOf(memory.load, budget, calibration);
  const most = Math.min(budget.max.tokens, budget.limit);
  const share = Math.min(REMINDER_TOKENS, (budget.max.tokens - budget.reserve) * REMINDER_SHARE);
  const room = Math.min(share, most - size.tokens) / calibration.slope;
  const shown = await linesFor(core, memory, room);
  if (shown.length === 0) return undefined;
  const reminded = remindTurn(dialect, newest, { at, text: reminderText(shown) });
  const { reminder } = reminded;
  const view = { ...memory.view, turns: [...turns.slice(0, -1), reminded] };
  const load = viewLoad(view);
  const larger = sizeOf(load, budget, calibration);
  if (!reminder || exceeds(larger, { ...budget.max, tokens: most }) || isDue(core.strategies, larger, budget))
    return undefined;
  core.memory = { ...memory, view, load };
  const tokens = tokensOf({ ...NO_LOAD, chars: reminder.chars }, calibration);
  const handles = shown.flatMap(({ handle }) => handle ?? []);
  const added = { at, text: reminder.text, handles, tokens };
  core.emit({ type: 'reminder-add', ...added });
  return added;
}

/** The missing lines of the files that the newest messages are about, within this many characters. */
async function linesFor<M>(core: Core<M>, memory: Memory<M>, room: number): Promise<Shown[]> {
  const { dialect } = core.format;
  const { view, revisions } = memory;
  const topics = topicsOf(dialect, newestTurns(view.turns));
  const readingAt = readingsOf(dialect, (index) => originalAt(core.archive, memory, index).catch(() => undefined));
  const shown: Shown[] = [];
  let left = room;
  let isShown: ((key: string) => boolean) | undefined;
  let files = 0;
  for (const topic of topics) {
    const calls = callsOn(memory, topic.file);
    if (calls.length === 0) continue;
    if (++files > TOPICS) break;
    isShown ??= linesShown(dialect, view);
    for (const record of await currentRecords(topic.file, calls, readingAt)) {
      const { runs, chars } = chooseLines(record.text, topic, (key) => !isShown?.(key) && !record.stale.has(key), left);
      if (chars < LEAST_CHARS) continue;
      left -= chars;
      const part = record.part === undefined ? own`` : own`.${record.part}`;
      const handle = dialect.handles === false ? undefined : own`${handlePart(record.at, revisions)}${part}`;
      shown.push({ file: topic.file, handle, written: record.written, text: record.text, runs });
    }
  }
  return shown;
}

/** What is known of a file, the newest first, with the lines that later calls replaced or repeat. */
async function currentRecords(file: string, calls: readonly number[], readingAt: ReadingAt) {
  const found: (FileRecord & { readonly stale: ReadonlySet<string> })[] = [];
  const stale = new Set<string>();
  for (const at of calls)
    for (const record of await recordsAt(file, at, readingAt)) {
      if (found.some((one) => one.at === record.at && one.text === record.text)) continue;
      found.push({ ...record, stale: new Set(stale) });
      const kept = lineKeys(record.text);
      for (const key of lineKeys(record.replaced)) if (!kept.has(key)) stale.add(key);
      for (const key of kept) stale.add(key);
    }
  return found;
}

/** The last answer of the model with its results, and what the user said after it. */
function newestTurns<M>(turns: readonly ViewTurn<M>[]): readonly ViewTurn<M>[] {
  return turns.slice(
    Math.max(
      0,
      turns.findLastIndex(({ role }) => role === 'assistant'),
    ),
  );
}

/** The newest messages with calls on this file whose text left the view, at least in part; the newest first. */
function callsOn<M>({ view, log }: Memory<M>, file: string): number[] {
  const known = log.at(-1)?.digest.files.filter(({ path }) => isSameFile(path, file)) ?? [];
  const changes = known.flatMap((one) => one.changes);
  const reads = known.flatMap((one) => one.reads.map(([at]) => at));
  for (const { cuts, readings, from } of view.turns)
    if (cuts.length > 0)
      readings.forEach(({ calls }, i) => {
        const uses = calls.flatMap((call) => callFacts(call).uses.filter((use) => isSameFile(use.file, file)));
        if (uses.some(({ use }) => use === 'read')) reads.push(from + i);
      });
  const newest = (places: readonly number[], most?: number) =>
    [...new Set(places)].sort((a, b) => b - a).slice(0, most);
  return newest([...newest(changes, CALLS), ...newest(reads, CALLS)]);
}
