import type { Dialect } from '../dialect.ts';
import type { Budget } from '../size/budget.ts';
import { type Calibration, tokensOf } from '../size/tokens.ts';
import type { NoteKind, Wording } from '../strategy.ts';
import type { Revisions } from '../text/handles.ts';
import { scanNames } from '../text/names.ts';
import { handlePart, type NotePart } from '../text/quote.ts';
import { maskSecrets } from '../text/secrets.ts';
import { turnTexts, type ViewTurn } from '../view/view-turn.ts';
import { type Digest, EMPTY_DIGEST, type NameFact, type Remark, type Section } from './digest.ts';
import type { Range } from './ranges.ts';
import {
  droppedCount,
  HEADINGS,
  NAME_HEADINGS,
  type NoteContent,
  remarkText,
  renderNote,
  SUMMARY_MARK,
  summaryText,
  toolText,
} from './render-note.ts';

/** The shortest note is never longer. */
const SHORTEST_NOTE = 120;
const SHORTEST: NoteContent = {
  eras: [[0, 999]],
  dropped: [[1, 9_999_999]],
  shortened: 0,
  example: 9_999_999,
  short: true,
};

/** A view that has room for this many characters can always be noted. By the dialect, because a caller may count otherwise. */
export function shortestNote<M>(dialect: Dialect<M>): number {
  return Math.max(SHORTEST_NOTE, dialect.read(dialect.note('user', renderNote(SHORTEST, dialect))).chars);
}

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
 * The note's text for a view of these turns: as much as the kind asks for and the budget has room for. The summary has a
 * budget of its own, so that the digest still holds what the summary forgot. Undefined if there is no room, or if a
 * strategy's own marker would speak of no dropped message. Room is measured with handles, whether or not they are shown.
 */
export function noteText<M>(
  input: NoteInput<M>,
  turns: readonly ViewTurn<M>[],
  digest: Digest,
  kind: NoteKind,
  summary: string,
): NotePart | undefined {
  const { budget, calibration, dialect } = input;
  const used = turns.reduce((sum, turn) => sum + tokensOf(turn.load, calibration), budget.reserve);
  const free = budget.max.tokens - used - budget.rates.message;
  const most = Math.min(budget.note - budget.rates.message, free);
  let share = 1;
  for (let tries = 0; ; tries++) {
    const first = share * Math.min(budget.note - budget.summary - budget.rates.message, free);
    const room = Math.floor((share * Math.min(budget.summary, free - first)) / calibration.slope);
    const front = kind === 'summary' ? summaryOf(summary, room) : {};
    const content = contentOf(input, turns, digest, kind, Math.floor(first / calibration.slope) - 1, front);
    if (content === undefined) return undefined;
    const text = renderNote(content, dialect);
    // By its characters it fits; a caller's counter may find more in them.
    const { chars } = dialect.read(dialect.note('user', text));
    const tokens = chars * calibration.slope;
    if (tokens <= most || chars <= renderNote(content).length) return text;
    if (share === 0) return tokens <= free ? text : undefined;
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
  const { revisions, wording } = input;
  const cut = turns.filter((turn) => turn.cuts.length > 0);
  const dropped = missing(turns, input.seen);
  const base: NoteContent = {
    eras: revisions,
    dropped,
    shortened: cut.length,
    example: dropped[0]?.[0] ?? cut[0]?.cuts[0]?.at ?? 0,
    ...(kind === 'marker' && wording?.marker !== undefined ? { marker: wording.marker } : {}),
  };
  if (base.marker !== undefined && droppedCount(base) === 0) return undefined;
  const head = renderNote(base).length;
  if (room < head) return { ...base, ...front, short: true };
  if (kind === 'marker' || room < head + LEAST_DIGEST) return { ...base, ...front };
  const visible = new Set<string>();
  const see = (text: string) => scanNames(text, (name) => visible.add(name));
  for (const turn of turns) for (const text of turnTexts(input.dialect, turn)) see(text);
  const remarks = { ...base, digest: chooseRemarks(digest, head, room, visible, revisions) };
  // A summary may be wrong about a file; that it names the file is enough for the lists of names.
  if (front.summary) see(summaryText(front.summary));
  const told = withTools(remarks, digest, wording?.tools, room);
  const names = chooseNames(digest.names, renderNote(told), room, visible, revisions);
  return { ...told, ...front, digest: { ...told.digest, names } };
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

/** How much of the room each section may take; what one leaves the next may use. Names need the rest. */
const SHARES: Readonly<Record<Section, number>> = {
  asked: 0.14,
  todos: 0.04,
  said: 0.06,
  commands: 0.06,
  errors: 0.05,
  changed: 0.04,
  read: 0.04,
  outline: 0,
};

/** If a note has little else to say, an outline of what was read fills it up to this share: names need text around them. */
const OUTLINE_UP_TO = 0.3;

/** The newest remarks of each section that there is room for behind a head of so many characters. */
function chooseRemarks(
  digest: Digest,
  head: number,
  room: number,
  visible: ReadonlySet<string>,
  revisions: Revisions,
): Digest {
  const chosen: Record<string, readonly Remark[]> = {};
  let used = head;
  let spare = 0;
  for (const section of Object.keys(HEADINGS) as Section[]) {
    const heading = HEADINGS[section].length + 4;
    const share = room * SHARES[section];
    const files = section === 'changed' || section === 'read';
    const remarks = files ? digest[section].filter(([file]) => !visible.has(file)) : digest[section];
    const free = room - used - heading;
    const most = section === 'outline' ? free - (1 - OUTLINE_UP_TO) * room : share + (files ? 0 : spare);
    let chars = 0;
    let from = remarks.length;
    for (; from > 0; from--) {
      const remark = remarks[from - 1] as Remark;
      const line = handlePart(remark[1], revisions).length + 3 + remarkText(remark).length;
      if (chars + line > Math.min(most, free)) break;
      chars += line;
    }
    chosen[section] = remarks.slice(from);
    spare += share - chars;
    if (chars > 0) used += heading + chars;
  }
  return { ...EMPTY_DIGEST, ...chosen };
}

/** The same note with the tools that were used most, as many as there is room for in one line. */
function withTools(
  note: NoteContent & { readonly digest: Digest },
  { tools: used }: Digest,
  heading: string | undefined,
  room: number,
) {
  if (heading === undefined) return note;
  const tools = { heading, last: Math.max(...used.map(([, , at]) => at)) };
  let chars = renderNote({ ...note, tools }).length;
  let count = 0;
  for (const tool of used) {
    chars += toolText(tool).length + (count > 0 ? 2 : 0);
    if (chars > room) break;
    count++;
  }
  return count === 0 ? note : { ...note, digest: { ...note.digest, tools: used.slice(0, count) }, tools };
}

/** Names fill at most 60% of a note; a little less, because others draw the line between name and word elsewhere. */
const NAMES_SHARE = 0.58;

/** A table is full of numbers that no call ever used: more of them than this tell nothing. Replays are the same without the rest. */
const MOST_NUMBERS = 24;

const NAME_HEADINGS_CHARS = Object.values(NAME_HEADINGS).reduce((sum, heading) => sum + heading.length + 4, 0);

/** The best names that the text above does not show already. */
function chooseNames(
  ranked: readonly NameFact[],
  above: string,
  room: number,
  visible: ReadonlySet<string>,
  revisions: Revisions,
): NameFact[] {
  const chosen: NameFact[] = [];
  const lines = new Set<string>();
  let total = above.length + NAME_HEADINGS_CHARS;
  let literal = 0;
  const told = new Set<string>();
  scanNames(above, (name) => {
    told.add(name);
    literal += name.length;
  });
  let numbers = 0;
  for (const fact of ranked) {
    const [name, kind, uses, , at] = fact;
    if (kind === 'number' && uses === 0 && ++numbers > MOST_NUMBERS) continue;
    if (visible.has(name) || told.has(name) || (name.length > 16 && maskSecrets(name) !== name)) continue;
    const line = `${kind} ${at}`;
    const cost = name.length + 2 + (lines.has(line) ? 0 : handlePart(at, revisions).length + 3);
    if (total + cost > room) continue;
    if (literal + name.length > NAMES_SHARE * (total + cost)) break;
    total += cost;
    literal += name.length;
    lines.add(line);
    chosen.push(fact);
  }
  return chosen;
}
