import { contentText, isRecord, ownText, sliceText } from '../content.ts';
import type { Call, Dialect, Reading, Result, Role } from '../dialect.ts';
import { argumentText, type CallFacts, callFacts, exitCode } from '../text/calls.ts';
import { type NameKind, scanNames } from '../text/names.ts';
import { plainLine } from '../text/quote.ts';
import { type Cut, isCut } from '../view/mask.ts';

/** The parts of a digest that are lines of text. */
export type Section = 'asked' | 'said' | 'changed' | 'read' | 'commands' | 'errors' | 'todos' | 'outline';

/** A line of the digest, the index of its message and, for a command, the exit code if known. */
export type Remark = readonly [text: string, at: number, exit?: number];

/** A name that left the view: calls that used it, messages that mention it, the index of the last, and whether that was a call. */
export type NameFact = readonly [
  name: string,
  kind: NameKind,
  uses: number,
  mentions: number,
  last: number,
  argued?: 0 | 1,
];

/** A tool, how many of the dropped calls used it, and the index of the last. */
export type ToolFact = readonly [name: string, uses: number, last: number];

/** Facts of the turns that were masked or dropped. Plain data, bounded, merged from fold to fold. */
export type Digest = Readonly<Record<Section, readonly Remark[]>> & {
  readonly version: 1;
  readonly names: readonly NameFact[];
  readonly tools: readonly ToolFact[];
};

/** Most entries that one fold passes to the next: a few times what a note has room for. No measurement supports the figures. */
const KEPT: Readonly<Record<Section, number>> = {
  asked: 16,
  said: 16,
  changed: 16,
  read: 16,
  commands: 12,
  errors: 6,
  todos: 12,
  outline: 40,
};

export const EMPTY_DIGEST: Digest = { version: 1, ...mapSections(KEPT, () => []), names: [], tools: [] };

/** True for a digest that needs a later release. One without a version is from 0.1. */
export function isLaterDigest({ version = 1 }: { readonly version?: number }): boolean {
  return version > EMPTY_DIGEST.version;
}

/** The digest with every field of this version: 0.1 wrote no version, and at first no outline. Pure. */
export function upgradeDigest(digest: Partial<Digest>): Digest {
  return digest.version === undefined || digest.outline === undefined
    ? { ...EMPTY_DIGEST, ...digest }
    : (digest as Digest);
}

const KEPT_NAMES = 500;
const KEPT_TOOLS = 24;
const REMARK_CHARS = 180;
const COMMAND_CHARS = 120;
const TOOL_CHARS = 64;

/** Parts of the names of tools that change a file, or a plan. */
const CHANGES = /write|edit|patch|create|replace|insert|append/i;
const PLANS = /todo|plan/i;
const NO_FACTS: CallFacts = { kind: 'other', files: [], uses: [], runs: [], input: {} };

/** A turn before a fold, or after it. */
interface Folded<M> {
  readonly from: number;
  readonly messages: readonly M[];
  readonly readings: readonly Reading[];
  readonly cuts: readonly Cut[];
}

/** A name during counting. */
interface Name {
  readonly name: string;
  readonly kind: NameKind;
  uses: number;
  mentions: number;
  last: number;
  argued: 0 | 1;
  score: number;
}

/** Collects facts of turns that leave the view, oldest first, on top of an earlier digest. */
export class DigestBuilder<M> {
  readonly #dialect: Dialect<M>;
  readonly #sections: Record<Section, Remark[]>;
  readonly #tools: Map<string, ToolFact>;
  readonly #names = new Map<string, Name>();
  #planned = false;

  constructor(dialect: Dialect<M>, before: Digest) {
    this.#dialect = dialect;
    const { version: _, names, tools, ...sections } = before;
    this.#tools = new Map(tools.map((tool) => [tool[0], tool]));
    this.#sections = mapSections(sections, (remarks) => [...remarks]);
    for (const [name, kind, uses, mentions, last, argued = 0] of names)
      this.#names.set(name, { name, kind, uses, mentions, last, argued, score: 0 });
  }

  /** Adds what a fold hides of a turn: all of it, or the results that a mask newly hides. */
  add(turn: Folded<M>, masked: Folded<M> | undefined): void {
    const calls = new Map<string, Call>();
    turn.readings.forEach(({ words, role, calls: made, results }, i) => {
      const at = turn.from + i;
      for (const call of made) calls.set(call.id, call);
      const hides = (part: number) => !isCut(turn, at, part) && (masked === undefined || isCut(masked, at, part));
      if (words && hides(-1)) this.#words(turn.messages[i] as M, role, at);
      if (masked === undefined) for (const call of made) this.#call(call, at);
      results.forEach((result, part) => {
        if (hides(part)) this.#result(result, calls.get(result.id), at);
      });
    });
  }

  /**
   * Adds only the main facts of a dropped turn that is older than all others: what the user said, the tools, the last plan
   * and, while there is room, what was changed. Does not read its texts. The newest of such turns first.
   */
  skim(turn: Folded<M>): void {
    const { from, messages, readings } = turn;
    const { asked, changed } = this.#sections;
    readings.forEach(({ words, role, calls }, i) => {
      const at = from + i;
      // Words that an earlier fold shortened were added then.
      const isNew = words && role === 'user' && !isCut(turn, at, -1);
      if (isNew && asked.length < KEPT.asked) asked.push([this.#said(messages[i] as M), at]);
      for (const call of calls) {
        this.#tool(call, at);
        const changes = changed.length < 2 * KEPT.changed && CHANGES.test(call.name);
        const plans = !this.#planned && PLANS.test(call.name);
        const { kind, files, input } = changes || plans ? callFacts(call) : NO_FACTS;
        if (kind === 'write') for (const file of files) changed.push([file, at]);
        if (plans) this.#plan(input, at);
      }
    });
  }

  /** The digest of everything that was added; `edge` is the length of the history. */
  finish(edge: number): Digest {
    const sections = mapSections(this.#sections, (remarks, section) => newestOnce(remarks, KEPT[section]));
    const tools = [...this.#tools.values()].sort((a, b) => b[1] - a[1] || b[2] - a[2]).slice(0, KEPT_TOOLS);
    return { version: 1, ...sections, names: this.#bestNames(edge), tools };
  }

  /** The names that are most likely needed again, the best first. */
  #bestNames(edge: number): NameFact[] {
    const names = [...this.#names.values()];
    // There are thousands: only those that will stay are sorted.
    const scores = new Float64Array(names.length);
    names.forEach((one, i) => {
      one.score = rank(one, edge);
      scores[i] = one.score;
    });
    const least = scores.sort().at(-KEPT_NAMES) ?? Number.NEGATIVE_INFINITY;
    return names
      .filter(({ score }) => score >= least)
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, KEPT_NAMES)
      .map(({ name, kind, uses, mentions, last, argued }) => [ownText(name), kind, uses, mentions, last, argued]);
  }

  #remark(section: Section, text: string, at: number, exit?: number): void {
    const remarks = this.#sections[section];
    remarks.push(exit === undefined ? [text, at] : [text, at, exit]);
    if (remarks.length > 8 * KEPT[section]) this.#sections[section] = remarks.slice(-4 * KEPT[section]);
  }

  #words(message: M, role: Role, at: number): void {
    this.#scan(this.#dialect.text(message), at, 0);
    if (role !== 'system') this.#remark(role === 'assistant' ? 'said' : 'asked', this.#said(message), at);
  }

  #said(message: M): string {
    return this.#dialect.said?.(message) ?? this.#dialect.text(message);
  }

  #call(call: Call, at: number): void {
    // JSON arguments are scanned as text: the next call repeats names in that form.
    const json = typeof call.input === 'string' ? call.input : '';
    this.#scan(json, at, 1);
    if (json === '' || json.includes('\\')) this.#scan(argumentText(call), at, 1);
    this.#tool(call, at);
    this.#facts(call, at);
  }

  #tool(call: Call, at: number): void {
    const tool = this.#tools.has(call.name) ? call.name : oneLine(call.name, TOOL_CHARS);
    const [, uses, last] = this.#tools.get(tool) ?? [tool, 0, 0];
    this.#tools.set(tool, [tool, uses + 1, Math.max(last, at)]);
  }

  #facts(call: Call, at: number): void {
    const { kind, files, input } = callFacts(call);
    for (const file of files) this.#remark(kind === 'write' ? 'changed' : 'read', file, at);
    this.#plan(input, at);
  }

  #plan(input: CallFacts['input'], at: number): void {
    const todos = openTodos(input);
    if (todos === undefined) return;
    this.#planned = true;
    this.#sections.todos = todos.map((todo) => [todo, at]);
  }

  #result(result: Result, call: Call | undefined, at: number): void {
    const text = contentText(result.content);
    this.#scan(text, at, 0);
    const { command, kind } = call ? callFacts(call) : {};
    if (kind === 'read') for (const line of outlineOf(text)) this.#remark('outline', line, at);
    const code = command === undefined ? undefined : exitCode(text);
    if (command !== undefined && kind === 'command')
      this.#remark('commands', oneLine(command, COMMAND_CHARS), at, code);
    if (result.error || (code !== undefined && code !== 0)) this.#remark('errors', firstError(text), at);
  }

  #scan(text: string, at: number, use: 0 | 1): void {
    scanNames(text, (name, kind) => {
      const fact = this.#names.get(name);
      if (fact === undefined) {
        this.#names.set(name, { name, kind, uses: use, mentions: 1, last: at, argued: use, score: 0 });
      } else if (fact.last !== at) {
        fact.mentions++;
        fact.uses += use;
        fact.last = at;
        fact.argued = use;
      } else fact.argued ||= use;
    });
  }
}

function mapSections<T, R>(
  sections: Readonly<Record<Section, T>>,
  map: (value: T, section: Section) => R,
): Record<Section, R> {
  const entries = Object.entries(sections).map(([key, value]) => [key, map(value, key as Section)]);
  return Object.fromEntries(entries) as Record<Section, R>;
}

/** The newest remarks, one line each and none twice, in the order of the history. */
function newestOnce(remarks: readonly Remark[], most: number): Remark[] {
  const lines = new Map<string, Remark>();
  for (const [text, at, exit] of remarks.toSorted((a, b) => b[1] - a[1])) {
    if (lines.size === most) break;
    const line = oneLine(text, REMARK_CHARS);
    const key = exit === undefined ? line : `${line} → ${exit}`;
    if (line !== '' && !lines.has(key)) lines.set(key, exit === undefined ? [line, at] : [line, at, exit]);
  }
  return [...lines.values()].sort((a, b) => a[1] - b[1]);
}

/**
 * How likely a name is needed again for the room it takes: used by calls, last used by a call, mentioned often, recent, short.
 * The weights are fitted on recorded conversations: which names did calls need after a fold had removed them?
 */
function rank({ name, kind, uses, mentions, last, argued }: Name, edge: number): number {
  const rare = kind === 'number' ? 2.5 : kind === 'hash' ? 1.5 : 0;
  const age = edge - last;
  const likely = 4 * Math.log2(1 + uses) + 1.2 * Math.log2(1 + mentions) + 4 * argued + 1.5 * Math.exp(-age / 60);
  return likely - 0.015 * age - 0.11 * name.length - rare;
}

function oneLine(text: string, chars: number): string {
  const line = plainLine(sliceText(text, 0, 4 * chars));
  return ownText(line.length <= chars ? line : `${sliceText(line, 0, chars - 1)}…`);
}

const FAILURE = /error|fail|exception|cannot|not found|denied|panic|fatal/i;
/** Characters of an output that are searched for the line with the failure. */
const FAILURE_CHARS = 20_000;

function firstError(text: string): string {
  const lines = sliceText(text, 0, FAILURE_CHARS)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.find((line) => FAILURE.test(line)) ?? lines[0] ?? '';
}

/** A line of code that declares something, after a line number that a tool may have added. */
const DECLARED =
  /^[ \t]{0,40}(?:\d{1,7}[ \t]?[→|:\t][ \t]{0,40})?((?:(?:export|default|pub|public|private|protected|static|abstract|async) )*(?:func|function|class|def|type|interface|struct|enum|trait|impl|fn|module|const [A-Z]\w* =)\b.*)$/gm;
const OUTLINE_LINES = 12;
const OUTLINE_CHARS = 60_000;

/** The first lines of a file that declare something. */
function outlineOf(text: string): string[] {
  const lines: string[] = [];
  for (const [, line = ''] of sliceText(text, 0, OUTLINE_CHARS).matchAll(DECLARED)) {
    const { length } = line.trim();
    if (length >= 12 && length <= 140) lines.push(line.trim());
    if (lines.length === OUTLINE_LINES) break;
  }
  return lines;
}

/** The open items of a to-do list or plan in a call's arguments; undefined if there is no such list. */
function openTodos(input: CallFacts['input']): string[] | undefined {
  const list = input.todos ?? input.plan;
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((item) => {
    if (!isRecord(item) || item.status === 'completed' || item.status === 'done') return [];
    const text = item.content ?? item.step ?? item.title ?? item.text;
    return typeof text === 'string' ? [text] : [];
  });
}
