import type { Dialect } from '../dialect.ts';
import type { Revisions } from '../handles/handles.ts';
import { scanNames } from '../names/scan-names.ts';
import type { Budget } from '../size/budget.ts';
import { type Calibration, tokensOf } from '../size/tokens.ts';
import type { NoteKind, Wording } from '../strategy.ts';
import type { ViewTurn } from '../view/view-turn.ts';
import { noteText, type WrittenNote } from '../view/written-note.ts';
import {
  changedFiles,
  chooseFacts,
  chooseNames,
  lengthWithNames,
  sourcesOf,
  visibleIn,
  wholeIn,
} from './choose-facts.ts';
import { type Digest, EMPTY_DIGEST } from './digest.ts';
import { isChanged } from './ledger.ts';
import type { Range } from './ranges.ts';
import {
  droppedCount,
  type NoteContent,
  renderNote,
  SUMMARY_MARK,
  summaryText,
  toolText,
  writeNote,
} from './render-note.ts';

/** The shortest note is never longer. */
const SHORTEST_NOTE = 120;
const SHORTEST: NoteContent = {
  revisions: [[0, 999]],
  dropped: [[1, 9_999_999]],
  shortened: 0,
  example: 9_999_999,
  short: true,
};

/** A view that has room for this many characters can always be noted. By the dialect, because a caller may count otherwise. */
export function shortestNote<M>(dialect: Dialect<M>, revisions: Revisions): number {
  const scopes = revisions.map(([, , scope]) => scope ?? '');
  const longest = scopes.reduce((one, other) => (one.length < other.length ? other : one), '');
  const shortest = longest === '' ? SHORTEST : { ...SHORTEST, revisions: [[0, 999, longest] as const] };
  return Math.max(SHORTEST_NOTE, dialect.read(dialect.note('user', renderNote(shortest, dialect))).chars);
}

/** Most tokens of a marker. No measurement supports the figure. */
export const MARKER_TOKENS = 400;
/** How often a note is shortened that a caller's counter finds too long, before it becomes the shortest. */
const TRIES = 4;
/** A digest with less room than this adds nothing to the line above it. */
const LEAST_DIGEST = 200;
/** Nor does a summary that is cut to less. */
const LEAST_SUMMARY = 120;

interface NoteInput<M> {
  readonly dialect: Dialect<M>;
  readonly budget: Budget;
  readonly calibration: Calibration;
  readonly revisions: Revisions;
  /** Messages of the history that the view accounts for. */
  readonly seen: number;
  readonly wording?: Wording;
}

/**
 * The note for a view of these turns: as much as the kind asks for and the budget has room for. The summary has a
 * budget of its own, so that the digest still holds what the summary forgot. Undefined if there is no room, or if a
 * strategy's own marker would speak of no dropped message. Room is measured with handles, whether or not they are shown.
 */
export function fittingNote<M>(
  input: NoteInput<M>,
  turns: readonly ViewTurn<M>[],
  digest: Digest,
  kind: NoteKind,
  summary: string,
): WrittenNote | undefined {
  const { budget, calibration, dialect } = input;
  const used = turns.reduce((sum, turn) => sum + tokensOf(turn.load, calibration), budget.reserve);
  const free = budget.max.tokens - used - budget.rates.message;
  const length = kind === 'marker' ? Math.min(MARKER_TOKENS, budget.note) : budget.note;
  const most = Math.min(length - budget.rates.message, free);
  let share = 1;
  for (let tries = 0; ; tries++) {
    const first = share * Math.min(length - budget.summary - budget.rates.message, free);
    const room = Math.floor((share * Math.min(budget.summary, free - first)) / calibration.slope);
    const front = kind === 'summary' ? summaryOf(summary, room) : {};
    const content = contentOf(input, turns, digest, kind, Math.floor(first / calibration.slope) - 1, front);
    if (content === undefined) return undefined;
    const note = writeNote(content, dialect);
    // By its characters it fits; a caller's counter may find more in them.
    const tokens = dialect.read(dialect.note('user', noteText(note))).chars * calibration.slope;
    if (tokens <= most) return note;
    if (share === 0) return tokens <= free ? note : undefined;
    share = tries < TRIES ? (0.9 * share * most) / tokens : 0;
  }
}

function summaryOf(text: string, chars: number): Pick<NoteContent, 'summary'> {
  const room = chars - SUMMARY_MARK.length - 4;
  return text === '' || room < LEAST_SUMMARY ? {} : { summary: { text, room } };
}

/** What a note of so many characters says, beyond its summary. */
function contentOf<M>(
  input: NoteInput<M>,
  turns: readonly ViewTurn<M>[],
  digest: Digest,
  kind: NoteKind,
  room: number,
  front: Pick<NoteContent, 'summary'>,
): NoteContent | undefined {
  const { dialect, revisions, wording } = input;
  const cut = turns.filter((turn) => turn.cuts.length > 0);
  const dropped = missing(turns, input.seen);
  const base: NoteContent = {
    revisions,
    dropped,
    shortened: cut.length,
    example: dropped[0]?.[0] ?? cut[0]?.cuts[0]?.at ?? 0,
    ...(kind !== 'summary' && wording?.marker !== undefined ? { marker: wording.marker } : {}),
  };
  if (base.marker !== undefined && droppedCount(base) === 0) return undefined;
  const head = measured(dialect, base).length;
  if (room < head) return { ...base, ...front, short: true };
  if (kind === 'marker') return withChanges(dialect, base, turns, digest, room);
  if (room < head + LEAST_DIGEST) return { ...base, ...front };
  const visible = visibleIn(dialect, turns);
  const { note, summary, words: forWords } = input.budget;
  const words = Math.floor((room * forWords) / Math.max(1, note - summary));
  const shares = { plain: room - words, words };
  const chosen = chooseFacts(digest, head, shares, visible, revisions);
  const all = { ...base, digest: chosen };
  // The line that names words left out has no share of its own.
  const facts = measured(dialect, all).length > room ? { ...base, digest: { ...chosen, omitted: [] } } : all;
  // A summary may be wrong about a file; that it names the file is enough for the lists of names.
  if (front.summary) scanNames(summaryText(front.summary), (name) => visible.names.add(name));
  const told = withTools(dialect, facts, digest, wording?.tools, room);
  const above = measured(dialect, told);
  const most = lengthWithNames(shares, above.length);
  const sources = sourcesOf(digest);
  const names = chooseNames(digest, above, most, visible.names, revisions, sources);
  return { ...told, ...front, sources, digest: { ...told.digest, names: [...told.digest.names, ...names] } };
}

/** The same note with the files that were changed, those touched last first, each with its latest change. */
function withChanges<M>(
  dialect: Dialect<M>,
  base: NoteContent,
  turns: readonly ViewTurn<M>[],
  digest: Digest,
  room: number,
): NoteContent {
  const changed = digest.files.filter(isChanged).map((file) => {
    const {
      changes: [latest = file.since ?? 0],
    } = file;
    return { ...file, changes: [latest], reads: [] };
  });
  if (changed.length === 0) return base;
  const left = room - measured(dialect, base).length;
  const files = changedFiles(changed, left, wholeIn(turns), base.revisions);
  return files.length === 0 ? base : { ...base, digest: { ...EMPTY_DIGEST, files } };
}

/** The note with handles, whether or not they are shown. */
function measured<M>({ handles }: Dialect<M>, content: NoteContent): string {
  return renderNote(content, handles ? { handles } : {});
}

/** Runs of messages of the history that are not in the view. */
function missing<M>(turns: readonly ViewTurn<M>[], seen: number): Range[] {
  const runs: Range[] = [];
  let next = 0;
  for (const { from, messages } of turns) {
    if (from > next) runs.push([next, from - 1]);
    next = from + messages.length;
  }
  return seen > next ? [...runs, [next, seen - 1]] : runs;
}

/** The same note with the tools that were used most, as many as there is room for in one line. */
function withTools<M>(
  dialect: Dialect<M>,
  note: NoteContent & { readonly digest: Digest },
  { tools: used }: Digest,
  heading: string | undefined,
  room: number,
) {
  if (heading === undefined) return note;
  const tools = { heading, last: Math.max(...used.map(([, , at]) => at)) };
  let chars = measured(dialect, { ...note, tools }).length;
  let count = 0;
  for (const tool of used) {
    chars += toolText(tool).length + (count > 0 ? 2 : 0);
    if (chars > room) break;
    count++;
  }
  return count === 0 ? note : { ...note, digest: { ...note.digest, tools: used.slice(0, count) }, tools };
}
