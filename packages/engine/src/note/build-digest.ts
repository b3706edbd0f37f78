import {
  argumentPairs,
  argumentValues,
  type CallFacts,
  callFacts,
  factsWithResult,
  textAction,
} from '../calls/call-facts.ts';
import { exitCode } from '../calls/exit-code.ts';
import type { FileUse } from '../calls/file-use.ts';
import { isObservation } from '../calls/text-actions.ts';
import { contentText } from '../content/text.ts';
import type { Call, Dialect, Reading, Result, Role } from '../dialect.ts';
import { scanNames } from '../names/scan-names.ts';
import { plainLine } from '../quoting/plain-lines.ts';
import { ownText, shortened, sliceText } from '../quoting/slice.ts';
import { maskSecrets } from '../secrets/secrets.ts';
import type { Statement, StatementKind, StatementReader } from '../statements/statements.ts';
import { type Cut, isCut } from '../view/mask.ts';
import { ARGUMENTS } from '../view/mask-arguments.ts';
import type { CommandFact, Digest, Remark, Section, ToolFact } from './digest.ts';
import { endsInFailure, failureLine } from './failures.ts';
import { Ledger } from './ledger.ts';
import { saidOnce } from './once.ts';
import { bestNames, type Name } from './rank-names.ts';
import { openTodos, PLANS } from './todos.ts';
import { hasMeaning, isId, isKey, meaningOf } from './values.ts';

/** Most entries that one fold passes to the next: a few times what a note has room for. No measurement supports the figures. */
const KEPT: Readonly<Record<Section, number>> = {
  asked: 100,
  decisions: 40,
  causes: 40,
  failed: 40,
  findings: 40,
  open: 30,
  todos: 12,
};
/** A statement in a note, roughly: a long note has room for more statements. */
const STATEMENT_TOKENS = 40;
const KEPT_OMITTED = 300;
const KEPT_COMMANDS = 16;
const KEPT_TOOLS = 24;
const STATEMENT_CHARS = 400;
const REMARK_CHARS = 240;
/** The beginning of a pasted text or of an answer, and how much it matters among statements, which weigh 0 to 1. */
const BEGINNING_CHARS = 160;
const PASTED_WEIGHT = 0.3;
/** A longer message of another agent holds more than its words. */
const LONG_REPORT = 1_500;
const ANSWER_WEIGHT = 0.1;
const COMMAND_CHARS = 120;
/** Files that a note names as what mended a failure. */
const MENDED_FILES = 3;
const TOOL_CHARS = 64;
/** Shorter parts of a secret are words that anything may have. */
const SECRET_PART = 8;
/** Most characters of words that are read in turns that are only skimmed. */
const SKIMMED_CHARS = 200_000;

/** The section of each kind of statement that the assistant makes; those of the user have one section. */
const SECTIONS: Readonly<Record<StatementKind, Section>> = {
  rule: 'decisions',
  correction: 'findings',
  preference: 'decisions',
  fact: 'findings',
  decision: 'decisions',
  cause: 'causes',
  failed: 'failed',
  other: 'findings',
  finding: 'findings',
  open: 'open',
};

/** Parts of the names of tools that change a file. */
const CHANGES = /write|edit|patch|create|replace|insert|append/i;
const NO_FACTS: CallFacts = { kind: 'other', files: [], uses: [], runs: [], input: {} };

/** How teams of agents name the one who speaks; in the user's role, it is another agent. */
const SPEAKER = /^\s*(\[[A-Za-z][\w-]+(?: \([^()[\]]*\))?\]) /;
/** What another agent shows rather than says has no whole sentences: menus, titles, fields of a page. */
const WHOLE_SENTENCE = /(?<!\.\.)[.!。！]["'”’»)\]*_`]*$/;
/** A shorter answer without a number says nothing without its question. */
const SHORT_ANSWER = 24;

/** What a change did if it was not an edit. */
const DEEDS = { change: undefined, create: 'created', delete: 'deleted', move: 'moved' } as const;

/** A turn before a fold, or after it. */
interface Folded<M> {
  readonly from: number;
  readonly messages: readonly M[];
  readonly readings: readonly Reading[];
  readonly cuts: readonly Cut[];
}

/** Collects facts of turns that leave the view, oldest first, on top of an earlier digest. */
export class DigestBuilder<M> {
  readonly #dialect: Dialect<M>;
  readonly #reader: StatementReader;
  readonly #sections: Record<Section, Remark[]>;
  readonly #omitted: Set<number>;
  readonly #commands = new Map<string, CommandFact>();
  readonly #ledger: Ledger;
  readonly #tools: Map<string, ToolFact>;
  readonly #names = new Map<string, Name>();
  /** The text in which a number or hash was last explained, its place there, and the index of the message. */
  readonly #sources = new Map<string, { readonly text: string; readonly place: number; readonly at: number }>();
  /** Parts of keys and passwords: no names, wherever else they are written. */
  readonly #secrets = new Set<string>();
  /** The index of the newest plan; -1 without one. */
  #planned: number;
  /** Characters of words in skimmed turns. */
  #skimmed = 0;

  constructor(dialect: Dialect<M>, before: Digest, reader: StatementReader) {
    this.#dialect = dialect;
    this.#reader = reader;
    const { version: _, omitted, files, commands, names, tools, ...sections } = before;
    this.#omitted = new Set(omitted);
    this.#sections = mapSections(sections, (remarks) => [...remarks]);
    this.#planned = Math.max(-1, ...sections.todos.map(([, at]) => at));
    this.#ledger = new Ledger(files);
    this.#tools = new Map(tools.map((tool) => [tool[0], tool]));
    for (const command of commands) this.#commands.set(commandKey(command[0] || (command[3] ?? '')), command);
    for (const [name, kind, uses, mentions, last, argued = 0, text, explained = last] of names) {
      const meaning = text === undefined ? undefined : ([text, explained] as const);
      this.#names.set(name, { name, kind, uses, mentions, last, argued, meaning, score: 0 });
    }
  }

  /** Adds what a fold hides of a turn: all of it, or the results and arguments that a mask newly hides. */
  add(turn: Folded<M>, masked: Folded<M> | undefined): void {
    const calls = new Map<string, Call>();
    turn.readings.forEach(({ words, role, calls: made, results }, i) => {
      const at = turn.from + i;
      for (const call of made) calls.set(call.id, call);
      const hides = (part: number) => !isCut(turn, at, part) && (masked === undefined || isCut(masked, at, part));
      if (words && hides(-1)) this.#words(turn.messages[i] as M, role, at, made.length === 0);
      if (hides(ARGUMENTS)) for (const call of made) this.#call(call, at);
      results.forEach((result, part) => {
        if (hides(part)) this.#result(result, calls.get(result.id), at);
      });
    });
  }

  /**
   * Adds only the main facts of a dropped turn that is older than all others: what was said, the tools, the last plan and,
   * while there is room, what was changed. Does not read results. The newest of such turns first.
   */
  skim(turn: Folded<M>): void {
    const { from, messages, readings } = turn;
    readings.forEach(({ words, role, calls }, i) => {
      const at = from + i;
      // Words that an earlier fold shortened were added then.
      if (words && role !== 'system' && !isCut(turn, at, -1))
        this.#skimWords(messages[i] as M, role, at, calls.length === 0);
      for (const call of calls) {
        this.#tool(call, at);
        const { uses } = CHANGES.test(call.name) ? callFacts(call) : NO_FACTS;
        for (const use of uses) this.#change(use, at);
        if (PLANS.test(call.name)) this.#plan(call, at);
      }
    });
  }

  /** Adds only the files that a dropped turn changed. */
  changes({ from, messages, readings }: Omit<Folded<M>, 'cuts'>): void {
    readings.forEach(({ words, role, calls }, i) => {
      for (const call of calls) for (const use of callFacts(call).uses) this.#change(use, from + i);
      if (!words || role !== 'assistant' || calls.length > 0) return;
      for (const action of textAction(this.#said(messages[i] as M))) this.#change(action, from + i);
    });
  }

  /** The digest of everything that was added; `edge` is the length of the history, `note` the most tokens of a note. */
  finish(edge: number, note = 0): Digest {
    const most = Math.floor(note / STATEMENT_TOKENS);
    const sections = mapSections(
      saidOnce(this.#sections, (statement) => this.#reader.isStep(statement)),
      (remarks, section) => {
        const latest = latestOnce(remarks);
        const kept = section === 'todos' ? KEPT.todos : Math.max(KEPT[section], most);
        const best = new Set(latest.slice(0, kept));
        if (section === 'asked') for (const [, at] of latest.slice(kept)) this.#omitted.add(at);
        // Sentences of one message stay in the order in which they were said.
        return remarks.filter((remark) => best.has(remark)).sort((a, b) => a[1] - b[1]);
      },
    );
    const omitted = [...this.#omitted].sort((a, b) => a - b).slice(-KEPT_OMITTED);
    const tools = [...this.#tools.values()].sort((a, b) => b[1] - a[1] || b[2] - a[2]).slice(0, KEPT_TOOLS);
    const commands = [...this.#commands.values()].sort((a, b) => a[1] - b[1]).slice(-KEPT_COMMANDS);
    for (const secret of this.#secrets) this.#names.delete(secret);
    const names = bestNames(this.#names.values(), edge, (name) => {
      const { text, place, at } = this.#sources.get(name) ?? {};
      const words = text === undefined || place === undefined ? undefined : meaningOf(text, place, name);
      return words === undefined || at === undefined ? undefined : [words, at];
    });
    return { version: 1, ...sections, omitted, files: this.#ledger.finish(), commands, names, tools };
  }

  #words(message: M, role: Role, at: number, ends: boolean): void {
    this.#scan(this.#dialect.text(message), at, 0);
    if (role !== 'system') this.#spoken(this.#said(message), role, at, ends);
  }

  /** Words are little text; of very long ones only the user's beginnings stay. */
  #skimWords(message: M, role: Role, at: number, ends: boolean): void {
    const text = this.#said(message);
    const { asked } = this.#sections;
    this.#skimmed += text.length;
    if (this.#skimmed <= SKIMMED_CHARS) this.#spoken(text, role, at, ends);
    else if (role === 'user' && asked.length < KEPT.asked && !isObservation(text))
      asked.push([oneLine(text, REMARK_CHARS), at, 0]);
  }

  /** Adds what a message says. An agent without tool calls writes its actions into its words; the next message answers them. */
  #spoken(text: string, role: Role, at: number, ends: boolean): void {
    if (role === 'user' && isObservation(text)) return;
    this.#statements(text, role, at, ends);
    if (role !== 'assistant' || !ends) return;
    for (const action of textAction(text)) {
      this.#change(action, at);
      if (action.use === 'read' || action.use === 'search') this.#ledger.read(ownText(action.file), at + 1);
    }
  }

  #statements(text: string, role: Role, at: number, ends: boolean): void {
    const [prefix = '', speaker] = SPEAKER.exec(text) ?? [];
    const other = role === 'user' ? speaker : undefined;
    const by = role === 'assistant' || other ? 'assistant' : 'user';
    const own = by === 'assistant' ? text.slice(prefix.length) : text;
    const statements = other && text.length > LONG_REPORT ? this.#reported(own) : this.#reader.statementsOf(own, by);
    // Of a pasted text only some sentences are statements: its beginning says what it is. So does that of an answer.
    if (by === 'user' && !startsWith(text, statements[0]?.text ?? ''))
      this.#sections.asked.push([oneLine(text, BEGINNING_CHARS), at, PASTED_WEIGHT]);
    if (by === 'assistant' && ends && statements.length === 0 && (own.length > SHORT_ANSWER || /\d/.test(own)))
      this.#sections.findings.push([oneLine(text, BEGINNING_CHARS), at, ANSWER_WEIGHT]);
    for (const { kind, text: statement, weight } of crowded(statements)) {
      const section = by === 'user' ? 'asked' : SECTIONS[kind];
      const attributed = other ? `${other} ${statement}` : statement;
      this.#sections[section].push([oneLine(attributed, STATEMENT_CHARS), at, weight]);
    }
  }

  /** A long message of another agent is mostly what a tool showed it: of what follows its first paragraph only sentences that tell something count, as found. */
  #reported(text: string): Statement[] {
    const end = text.indexOf('\n\n');
    const own = end < 0 ? text : text.slice(0, end);
    const shown = this.#reader.statementsOf(text.slice(own.length), 'user');
    const whole = shown.filter((one) => WHOLE_SENTENCE.test(one.text));
    const found = whole.map((one) => ({ ...one, kind: 'finding' as const }));
    return [...this.#reader.statementsOf(own, 'assistant'), ...found];
  }

  #said(message: M): string {
    return maskSecrets(this.#dialect.said?.(message) ?? this.#dialect.text(message));
  }

  #call(call: Call, at: number): void {
    // The name of an argument may be what tells that its value is a secret.
    this.#withoutSecrets(argumentPairs(call));
    this.#scan(argumentValues(call), at, 1);
    this.#tool(call, at);
    for (const use of callFacts(call).uses) this.#change(use, at);
    this.#plan(call, at);
  }

  #change({ file, use, to }: FileUse, at: number): void {
    if (use !== 'read' && use !== 'search') this.#ledger.change(ownText(file), at, DEEDS[use]);
    if (to !== undefined) this.#ledger.change(ownText(to), at, DEEDS.create);
  }

  #tool(call: Call, at: number): void {
    const tool = this.#tools.has(call.name) ? call.name : oneLine(call.name, TOOL_CHARS);
    const [, uses, last] = this.#tools.get(tool) ?? [tool, 0, 0];
    this.#tools.set(tool, [tool, uses + 1, Math.max(last, at)]);
  }

  /** An older plan may leave the view after a newer one, whose arguments were shortened before. */
  #plan(call: Call, at: number): void {
    const todos = at < this.#planned ? undefined : openTodos(call);
    if (todos === undefined) return;
    this.#planned = at;
    this.#sections.todos = todos.map((todo) => [oneLine(todo, REMARK_CHARS), at]);
  }

  #result(result: Result, call: Call | undefined, at: number): void {
    const text = contentText(result.content);
    this.#scan(text, at, 0);
    if (call === undefined) return;
    const { command, files, uses, runs } = factsWithResult(call, text);
    const shown = uses.filter(({ use }) => use === 'read' || use === 'search');
    if (!result.error)
      for (const { file, use, lines } of shown)
        this.#ledger.read(ownText(file), at, ...(shown.length === 1 && use === 'read' ? linesOf(text, lines) : []));
    // An editor with an open file says only in its answer which one it changed.
    if (!result.error && callFacts(call).uses.length === 0) for (const use of uses) this.#change(use, at);
    const exit = command === undefined ? undefined : exitCode(text);
    const isRun = runs.length > 0;
    const what = isRun ? runs.join('; ') : (command ?? [call.name, ...files].join(' '));
    const hasFailed = result.error || (exit === undefined ? isRun && endsInFailure(what, text) : exit !== 0);
    const key = commandKey(what);
    const line = oneLine(what, COMMAND_CHARS);
    const [, failedAt = at, , failure, before] = this.#commands.get(key) ?? [];
    this.#commands.delete(key);
    // What failed matters until the same succeeds; then what mended it does.
    const mended = failure === undefined || hasFailed ? '' : (before ?? this.#changedBetween(failedAt, at));
    if (hasFailed) this.#commands.set(key, [line, at, exit ?? null, oneLine(failureLine(text), REMARK_CHARS)]);
    else if (failure !== undefined && mended !== '') this.#commands.set(key, [line, at, exit ?? null, failure, mended]);
    else if (isRun) this.#commands.set(key, exit === undefined ? [line, at] : [line, at, exit]);
  }

  #changedBetween(from: number, to: number): string {
    return oneLine(this.#ledger.changedBetween(from, to).slice(0, MENDED_FILES).join(', '), REMARK_CHARS);
  }

  /** The text with its secrets masked, before anything reads it in parts, which no form tells from names. */
  #withoutSecrets(whole: string): string {
    return maskSecrets(whole, (secret, usual) => {
      scanNames(secret, (name) => this.#secrets.add(name));
      for (const part of secret.split(/[^A-Za-z\d]+/)) if (part.length >= SECRET_PART) this.#secrets.add(part);
      return usual;
    });
  }

  #scan(whole: string, at: number, use: 0 | 1): void {
    const text = this.#withoutSecrets(whole);
    scanNames(text, (name, kind, place) => {
      const fact = this.#names.get(name);
      if (place !== undefined && isKey(text, place, name.length)) return;
      if (isId(name, kind)) {
        const tells = use === 0 && place !== undefined && hasMeaning(text, place, name.length);
        if (tells) this.#sources.set(name, { text, place, at });
        // A number that nothing explains says nothing.
        else if (fact === undefined && kind !== 'name') return;
      }
      if (fact === undefined) {
        this.#names.set(name, {
          name,
          kind,
          uses: use,
          mentions: 1,
          last: at,
          argued: use,
          meaning: undefined,
          score: 0,
        });
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

/** Statements of one message that keep their weight; each further one weighs less, or a pasted page or a long report would crowd out all others. */
const UNCROWDED = 2;
const CROWD = 4;

function crowded(statements: readonly Statement[]): Statement[] {
  const rank = new Map(statements.toSorted((a, b) => b.weight - a.weight).map((one, i) => [one, i]));
  return statements.map((one) => {
    const share = CROWD / (CROWD + Math.max(0, (rank.get(one) ?? 0) - UNCROWDED));
    return { ...one, weight: Math.round(100 * one.weight * share) / 100 };
  });
}

/** The weightiest remarks first, of equal ones the newest, none twice: what is repeated counts as said last. */
function latestOnce(remarks: readonly Remark[]): Remark[] {
  const latest = new Map<string, Remark>();
  for (const remark of remarks.toSorted((a, b) => b[1] - a[1])) {
    const key = remark[0].toLowerCase().replace(/[\s\p{P}]+/gu, ' ');
    if (remark[0] !== '' && !latest.has(key)) latest.set(key, remark);
  }
  return [...latest.values()].sort((a, b) => (b[2] ?? 0) - (a[2] ?? 0) || b[1] - a[1]);
}

/** The same for runs of one command that differ only in the folder or in how much of the output is shown. */
function commandKey(command: string): string {
  return command
    .replace(/^\s*cd [^&;|]+(?:&&|;)\s*/, '')
    .replace(/\s*(?:2>&1|\|\s*(?:tail|head|grep|rg)\b.*)/g, '')
    .trim();
}

function startsWith(text: string, start: string): boolean {
  return start !== '' && text.trimStart().startsWith(start.slice(0, 40));
}

function oneLine(text: string, chars: number): string {
  return ownText(shortened(maskSecrets(plainLine(sliceText(text, 0, 4 * chars))), chars));
}

const NUMBERED = /^\s*(\d{1,7})(?:→|\t|\||:)/;

/** The first and last line that a read shows; from 0 on if the call asked for no part of the file. */
function linesOf(text: string, asked: FileUse['lines']): [from: number, to: number] {
  let count = 1;
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) count++;
  const [, first] = NUMBERED.exec(sliceText(text, 0, 200)) ?? [];
  const from = Number(first ?? asked?.[0] ?? 1);
  return asked === undefined && from <= 1 ? [0, count] : [from, from + count - 1];
}
