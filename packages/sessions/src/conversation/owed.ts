import type { FoldEntry, Receipt, WindowState } from 'holdfast';
import { withoutNewest } from 'holdfast/restore';
import { messageEntry, type SessionEntry } from '../entry.ts';
import { createTextRecorder, type StretchText } from '../requests/text-recorder.ts';

/** An entry that the log lacks, and after how many messages it belongs. `texts`: of its request, for a `usage` entry. */
export interface Owed {
  readonly at: number;
  readonly entry: SessionEntry;
  readonly texts?: readonly StretchText[] | undefined;
}

/** Entries that wait for a store; beyond that, the oldest usage is lost. */
const MOST = 1_000;

/** The list with more, within bounds. Pure. */
export function withOwed(owed: readonly Owed[], more: readonly Owed[]): readonly Owed[] {
  const all = [...owed, ...more];
  const excess = all.length - MOST;
  let lost = 0;
  return excess <= 0 ? all : all.filter(({ entry }) => entry.type !== 'usage' || lost++ >= excess);
}

/**
 * The messages that a log lacks, of which it has the first `written`, with everything owed in its place. Usage before a fold
 * counts as usage of the last message that the fold covers: it was not folded, and a log names no message before it has it.
 * `last`: the number of the newest entry. Pure.
 */
export function entriesOwed(
  messages: readonly unknown[],
  written: number,
  owed: readonly Owed[],
  last: number,
): SessionEntry[] {
  const requests = createTextRecorder();
  const entries: SessionEntry[] = [];
  const add = (entry: SessionEntry) => {
    entries.push(entry);
    if (entry.type === 'message') requests.learn(entry, last + entries.length);
  };
  const waiting = placed(owed).sort((a, b) => a.at - b.at);
  let next = 0;
  for (let at = written; ; at++) {
    for (; waiting[next] && (waiting[next] as Owed).at <= at; next++) {
      const { entry, texts } = waiting[next] as Owed;
      if (texts) entries.push(...requests.entriesFor(texts, last + entries.length));
      add(texts && entry.type === 'usage' ? { ...entry, request: last + entries.length } : entry);
    }
    const message = messages[at];
    if (at >= messages.length || !message) return entries;
    add(messageEntry(message));
  }
}

function placed(owed: readonly Owed[]): Owed[] {
  let covered = Number.POSITIVE_INFINITY;
  return owed
    .toReversed()
    .map((one) => {
      const { entry } = one;
      if (entry.type === 'fold') covered = one.at;
      if (entry.type !== 'usage' || !entry.window) return one;
      const { seen, sent } = entry.window;
      const at = Math.max(1, Math.min(seen, covered));
      return { ...one, at, entry: { ...entry, window: { ...entry.window, seen: at, sent: Math.min(sent, at) } } };
    })
    .reverse();
}

/**
 * The newest fold of a state. `settles`: without the newest turn if the fold left that as it was, because whoever keeps the
 * history may still change its last message; but a view cannot end with its note. `dropped`: the turns dropped up to each
 * fold, by what it covered; this one is added.
 */
export function foldEntry(
  { log, revisions }: Pick<WindowState, 'log' | 'revisions'>,
  receipt: Receipt,
  { settles, dropped }: { readonly settles: boolean; readonly dropped: Map<number, number> },
): Extract<SessionEntry, { type: 'fold' }> | undefined {
  const newest = log.at(-1);
  if (!newest || receipt.fold === 0) return undefined;
  const fold = (settles && settled(newest)) || newest;
  const earlier = newest.prior === 0 ? 0 : (dropped.get(log.at(-2)?.covered ?? 0) ?? 0);
  const sum = earlier + receipt.dropped;
  for (const { covered } of [newest, fold]) dropped.set(covered, sum);
  return { type: 'fold', fold, receipt, dropped: sum, ...(revisions.length > 0 ? { revisions } : {}) };
}

function settled(newest: FoldEntry): FoldEntry | undefined {
  const entry = withoutNewest(newest);
  const isProper = entry && (entry.note === undefined || entry.head < entry.kept.length);
  return isProper ? entry : undefined;
}
