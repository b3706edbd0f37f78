import type { Dialect } from '../dialect.ts';
import type { Revisions } from '../handles/handles.ts';
import { scanNames } from '../names/scan-names.ts';
import { handlePart } from '../quoting/quote.ts';
import { shortened } from '../quoting/slice.ts';
import { cutsAt, isCut } from '../view/mask.ts';
import { ARGUMENTS } from '../view/mask-arguments.ts';
import { turnTexts, type ViewTurn } from '../view/view-turn.ts';
import {
  type CommandFact,
  type Digest,
  EMPTY_DIGEST,
  type NameFact,
  type Remark,
  type Section,
  STATEMENTS,
} from './digest.ts';
import { changedFirst, type FileFact, fileName } from './ledger.ts';
import { isSuperseded } from './once.ts';
import {
  commandText,
  fileLines,
  HEADINGS,
  isValue,
  omittedLine,
  remarkText,
  STEPS_HEADING,
  sourcePart,
  valueText,
} from './render-note.ts';
import { openTodos, PLANS } from './todos.ts';

/** How much of the room is for facts; the rest is for names. From replays: names that calls repeat need it. */
const FACTS_SHARE = 0.6;
/** How much of the room for facts each part may take; what one leaves the next may use. From replays. */
const USER_SHARE = 0.5;
const STATEMENTS_SHARE = 0.25;
const TODOS_SHARE = 0.05;
const FILES_SHARE = 0.5;
const COMMANDS_SHARE = 0.06;
const VALUES_SHARE = 0.05;
/** Where there are few facts, names fill at most this share of a note. From replays: 0.58 costs 0.7 points of coverage. */
const NAMES_SHARE = 0.7;
/** How much more a statement counts that was made now rather than at the start. Statements weigh 0 to 1. */
const RECENCY = 0.05;
/** A statement of the assistant that weighs less says little (talk about progress, beginnings of answers): only where words have room of their own. */
const LEAST_WEIGHT = 0.2;
/** Of words that there is no room for, so many characters stay. */
const SHORTENED = 120;
/** No heading of one part is longer, with its line break and mark. */
const HEADING_CHARS = 36;

/** What the view still has of what a digest knows. */
export interface Visible {
  readonly names: ReadonlySet<string>;
  /** Messages that the view shows whole. */
  readonly whole: ReadonlySet<number>;
  /** The newest message with a plan; -1 without one. */
  readonly planned: number;
}

/** Reads what the view shows. */
export function visibleIn<M>(dialect: Dialect<M>, turns: readonly ViewTurn<M>[]): Visible & { names: Set<string> } {
  const names = new Set<string>();
  let planned = -1;
  for (const turn of turns) {
    for (const text of turnTexts(dialect, turn)) scanNames(text, (name) => names.add(name));
    turn.readings.forEach(({ calls }, i) => {
      const at = turn.from + i;
      const plans = calls.some((call) => PLANS.test(call.name) && openTodos(call) !== undefined);
      if (plans && !isCut(turn, at, ARGUMENTS)) planned = at;
    });
  }
  return { names, whole: wholeIn(turns), planned };
}

/** The messages that the view shows whole. */
export function wholeIn<M>(turns: readonly ViewTurn<M>[]): ReadonlySet<number> {
  const whole = new Set<number>();
  for (const turn of turns)
    for (let at = turn.from; at < turn.from + turn.messages.length; at++) if (!cutsAt(turn, at)) whole.add(at);
  return whole;
}

/** Of these files those that there is room for, with their heading, and of which something left the view. */
export function changedFiles(
  files: readonly FileFact[],
  room: number,
  whole: ReadonlySet<number>,
  revisions: Revisions,
): FileFact[] {
  return chooseFiles(files, room - HEADING_CHARS, { whole }, (at) => handlePart(at, revisions)).chosen;
}

/** Characters of a note: those that all parts share, and those that only the words of user and assistant may use. */
export interface NoteRoom {
  readonly plain: number;
  readonly words: number;
}

/** What of a digest a note has space for, behind a head of so many characters. The newest and weightiest. */
export function chooseFacts(
  digest: Digest,
  head: number,
  { plain, words }: NoteRoom,
  visible: Visible,
  revisions: Revisions,
): Digest {
  const place = (at: number) => handlePart(at, revisions);
  const pot = new Pot(plain * FACTS_SHARE, head, plain + words);
  const forUser = USER_SHARE * words;
  const asked = chooseAsked(digest.asked, pot.take(USER_SHARE, forUser), place);
  const forAssistant = words - pot.spend(asked.chars, forUser);
  // The view shows a newer plan: what the older one has open may be done.
  const open = digest.todos.filter(([, at]) => at > visible.planned);
  const todos = newest(open, pot.take(TODOS_SHARE), (one) => remarkChars(one, place));
  pot.spend(todos.chars);
  const room = pot.take(STATEMENTS_SHARE, forAssistant, statementHeadings(digest));
  const said = chooseStatements(digest, room, words > 0 ? 0 : LEAST_WEIGHT, place);
  pot.spend(said.chars, forAssistant, statementHeadings(said.chosen));
  const files = chooseFiles(digest.files, pot.take(FILES_SHARE), visible, place);
  pot.spend(files.chars);
  const commands = chooseCommands(digest.commands, pot.take(COMMANDS_SHARE), place);
  pot.spend(commands.chars);
  const told = [asked.chosen, ...Object.values(said.chosen)].flatMap((some) => some.map(([text]) => text)).join('\n');
  const values = newest(
    digest.names.filter((fact) => isValue(fact) && !visible.names.has(fact[0]) && !told.includes(fact[0])).reverse(),
    pot.take(VALUES_SHARE),
    (one) => place(one[7] ?? one[4]).length + 3 + valueText(one).length,
  );
  return {
    ...EMPTY_DIGEST,
    ...said.chosen,
    asked: asked.chosen,
    omitted: [...new Set([...digest.omitted, ...asked.omitted])].sort((a, b) => a - b),
    todos: todos.chosen,
    files: files.chosen,
    commands: commands.chosen,
    names: values.chosen,
  };
}

type Place = (at: number) => ReturnType<typeof handlePart>;

/** Characters that are left, and what earlier parts left of their shares. Together, all parts never take more than `most`. */
class Pot {
  #left: number;
  #most: number;
  #spare = 0;
  #share = 0;
  readonly #room: number;

  constructor(room: number, used: number, most: number) {
    this.#room = room;
    this.#left = room - used;
    this.#most = most - used;
  }

  /** The characters that the next part may take below its headings, with `own` ones that no other part may use. */
  take(share: number, own = 0, headings = HEADING_CHARS): number {
    this.#share = share * this.#room;
    const shared = Math.max(0, Math.min(this.#left - HEADING_CHARS, this.#share + this.#spare));
    return Math.max(0, Math.min(shared + own, this.#most - headings));
  }

  /** Spends characters, `own` ones before what the parts share; returns how many of those. */
  spend(all: number, own = 0, headings = HEADING_CHARS): number {
    const chars = Math.max(0, all - own);
    this.#spare += this.#share - chars;
    if (chars > 0) this.#left -= chars + HEADING_CHARS;
    if (all > 0) this.#most -= all + headings;
    return all - chars;
  }
}

/** Characters of the headings over these statements. */
function statementHeadings(sections: { readonly [S in Section]?: readonly Remark[] }): number {
  const headings = STATEMENTS.filter((section) => sections[section]?.length).flatMap((section) =>
    section === 'open' ? [HEADINGS.open, STEPS_HEADING] : [HEADINGS[section]],
  );
  return headings.reduce((sum, heading) => sum + heading.length + 4, 0);
}

function remarkChars(remark: Remark, place: Place): number {
  return place(remark[1]).length + 3 + remarkText(remark).length;
}

/** The last items, as many as fit, in their order. */
function newest<T>(items: readonly T[], room: number, charsOf: (item: T) => number): { chosen: T[]; chars: number } {
  let chars = 0;
  let from = items.length;
  for (; from > 0; from--) {
    const more = charsOf(items[from - 1] as T);
    if (chars + more > room) break;
    chars += more;
  }
  return { chosen: items.slice(from), chars };
}

/** The last commands, as many as fit, in their order; what failed is shortened before a command is left out. */
function chooseCommands(commands: readonly CommandFact[], room: number, place: Place) {
  const chosen: CommandFact[] = [];
  let chars = 0;
  for (const command of commands.toReversed()) {
    const [text, at, exit = null, failure, ...mended] = command;
    const charsOf = (one: CommandFact) => place(at).length + 3 + commandText(one).length;
    const short: CommandFact =
      failure === undefined ? command : [text, at, exit, shortened(failure, SHORTENED), ...mended];
    const fitting = [command, short].find((one) => chars + charsOf(one) <= room);
    if (fitting === undefined) continue;
    chars += charsOf(fitting);
    chosen.unshift(fitting);
  }
  return { chosen, chars };
}

/** The user's words, and the messages of those that are left out. */
function chooseAsked(asked: readonly Remark[], room: number, place: Place) {
  const { chosen, omitted, chars } = fitting(asked, room, place, (some) => omittedChars(some, place));
  return { chosen: [...chosen.values()], omitted, chars: chars + omittedChars(omitted, place) };
}

/** All words if there is room; otherwise the oldest are shortened first, then the least weighty left out. `extra`: characters that those take. */
function fitting(remarks: readonly Remark[], room: number, place: Place, extra: (omitted: number[]) => number) {
  const chosen = new Map(remarks.map((one) => [one, one]));
  const omitted: number[] = [];
  let chars = remarks.reduce((sum, one) => sum + remarkChars(one, place), 0);
  const leaveOut = (one: Remark) => {
    chars -= remarkChars(chosen.get(one) ?? one, place);
    chosen.delete(one);
    omitted.push(one[1]);
  };
  // Steps that others superseded are not worth shortening the rest.
  for (const one of remarks.filter(isSuperseded)) if (chars + extra(omitted) > room) leaveOut(one);
  for (const one of remarks.toSorted((a, b) => a[1] - b[1])) {
    if (chars <= room) break;
    const [text, at, weight = 0] = one;
    if (text.length <= SHORTENED || !chosen.has(one)) continue;
    const short: Remark = [shortened(text, SHORTENED), at, weight];
    chars -= remarkChars(one, place) - remarkChars(short, place);
    chosen.set(one, short);
  }
  const score = scoreOf(remarks);
  for (const one of remarks.toSorted((a, b) => score(a) - score(b))) {
    if (chars + extra(omitted) <= room) break;
    if (chosen.has(one)) leaveOut(one);
  }
  return { chosen, omitted, chars };
}

function omittedChars(omitted: readonly number[], place: Place): number {
  return omittedLine(omitted, place).reduce((sum, { text }) => sum + text.length + 1, 0);
}

/** How much a remark matters among these: its weight, and a little how recent it is. */
function scoreOf(remarks: readonly Remark[]): (remark: Remark) => number {
  const edge = Math.max(1, ...remarks.map(([, at]) => at));
  return ([, at, weight = 0]) => weight + (RECENCY * at) / edge;
}

/** The assistant's statements of all kinds. */
function chooseStatements(digest: Digest, room: number, least: number, place: Place) {
  const tells = ([, , weight = 1]: Remark) => weight >= least;
  const all = STATEMENTS.flatMap((section) => digest[section].filter(tells));
  const { chosen, chars } = fitting(all, room, place, () => 0);
  const inOrder = (section: Section) =>
    digest[section].map((one) => chosen.get(one)).filter((one) => one !== undefined);
  return { chosen: Object.fromEntries(STATEMENTS.map((section) => [section, inOrder(section)])), chars };
}

/** Files of which something left the view, those touched last first. Those that were changed have room before those only read. */
function chooseFiles(files: readonly FileFact[], room: number, { whole }: Pick<Visible, 'whole'>, place: Place) {
  const chosen = new Map<FileFact, FileFact>();
  let chars = 0;
  for (const file of changedFirst(files)) {
    const isHidden = (at: number) => !whole.has(at);
    const hidden = {
      ...file,
      changes: file.changes.filter(isHidden),
      reads: file.reads.filter(([at]) => isHidden(at)),
    };
    if (hidden.changes.length + hidden.reads.length === 0) continue;
    const lines = fileLines(hidden, place);
    const more = lines.reduce((sum, { text }) => sum + text.length + 1, 0);
    if (chars + more > room) continue;
    chars += more;
    chosen.set(file, hidden);
  }
  return { chosen: files.flatMap((file) => chosen.get(file) ?? []), chars };
}

/** Fractions, dates, sizes, routes and words between which a writer has a choice look like paths: `23/23`, `0.00/4.01k`, `6379/TCP`, `added/skipped`. */
const NO_PATH = /^(?:[\d.]*[A-Za-z-]*\/[\d.]*[A-Za-z-]*|\d+(?:\/\d+)+)$/;
/** Ids that an API gives to calls and messages, and long hexadecimal ones: nobody types them. */
const OPAQUE = /^(?:call|toolu|fc|msg|resp|chatcmpl|srvtoolu)_\w{8,}$|^(?=.*\d)[\dA-F]{20,}$/;
/** Most names of one message that no call used, unless it shows a file. From replays: 6 would raise coverage by 0.1 points. */
const UNUSED_NAMES = 4;

/** The length that a note with names may have, if so much precedes them. */
export function lengthWithNames({ plain, words }: NoteRoom, above: number): number {
  return Math.min(plain + words, Math.max(plain, above + (1 - FACTS_SHARE) * plain));
}

/** Characters of a command that say where names are from. */
const SOURCE_CHARS = 40;

/** What each message with a known file or command shows or changes. */
export function sourcesOf({ files, commands }: Digest): Map<number, string> {
  const sources = new Map<number, string>();
  for (const [text, at] of commands) if (text !== '') sources.set(at, shortened(text, SOURCE_CHARS));
  for (const { path, changes, reads } of files)
    for (const at of [...changes, ...reads.map(([at]) => at)]) sources.set(at, fileName(path.replace(/\/+$/, '')));
  return sources;
}

/** The best names that the text above does not show already. */
export function chooseNames(
  { names: ranked, files }: Digest,
  above: string,
  room: number,
  visible: ReadonlySet<string>,
  revisions: Revisions,
  sources: ReadonlyMap<number, string>,
): NameFact[] {
  const chosen: NameFact[] = [];
  const lines = new Set<string>();
  let total = above.length + 2 * HEADING_CHARS;
  let literal = 0;
  const told = new Set<string>();
  const shown = new Set(
    files.flatMap(({ path, changes, reads }) => (path.includes('://') ? [] : [...changes, ...reads.map(([at]) => at)])),
  );
  const unused = new Map<number, number>();
  scanNames(above, (name) => {
    told.add(name);
    literal += name.length;
  });
  for (const fact of ranked) {
    const [name, kind, uses, mentions, at] = fact;
    if (kind === 'number' || kind === 'hash' || (uses === 0 && (NO_PATH.test(name) || OPAQUE.test(name)))) continue;
    if (visible.has(name) || told.has(name)) continue;
    const isUnused = uses === 0 && !shown.has(at);
    if (isUnused && (unused.get(at) ?? 0) === UNUSED_NAMES) continue;
    const line = `${kind} ${at}`;
    const start = handlePart(at, revisions).length + sourcePart(sources.get(at)).length + 3;
    const cost = name.length + 2 + (lines.has(line) ? 0 : start);
    if (total + cost > room) continue;
    if (literal + name.length > NAMES_SHARE * (total + cost)) break;
    total += cost;
    literal += name.length;
    lines.add(line);
    if (isUnused) unused.set(at, (unused.get(at) ?? 0) + 1);
    // As a name, without the words around it.
    chosen.push([name, kind, uses, mentions, at]);
  }
  return chosen;
}
