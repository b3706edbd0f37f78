import {
  type ConversationHistoryConfig,
  ConversationWindow,
  isHoldfastError,
  memoryArchive,
  type Receipt,
  type WindowParts,
  type WindowState,
} from '../src/index.ts';
import { plainJson } from '../src/json/plain.ts';
import { dialectOf, type Format, handlesOf, type Scenario, type Step, say, type Wire } from './histories.ts';
import { reasoningOf, violationsOf } from './promises.ts';

/** What a played conversation showed: complaints in words, and how much was looked at. */
export interface Played {
  readonly complaints: string[];
  readonly handles: number;
  readonly fits: number;
  readonly noticed: number;
}

/** Numbers from 0 to below 1, the same for the same seed. */
function dice(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const bytes = (message: unknown): string => JSON.stringify(plainJson(message));
const THOUGHTS = new Set(['thinking', 'redacted_thinking', 'reasoning']);
const MARKERS = new Set(['cache_control', 'prompt_cache_breakpoint']);

/** The bytes without cache markers and thinking, and of a lone text without its block. */
function said(message: Wire): string {
  return JSON.stringify(plainJson(message), (key, value) => {
    if (MARKERS.has(key) || (key === 'providerOptions' && value.anthropic?.cacheControl)) return undefined;
    if (key === 'parts' && Array.isArray(value)) return value.filter((part) => !part?.thought);
    if (key !== 'content' || !Array.isArray(value)) return value;
    const blocks = value.filter((block) => !THOUGHTS.has(block?.type));
    return blocks.length === 1 && blocks[0].type === 'text' ? blocks[0].text : blocks;
  });
}

/** Each text leaf of a message that may be edited: the object that holds it and its key. */
function* leaves(value: unknown): Generator<[Record<string, unknown>, string]> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const isWord = ['text', 'content', 'thinking', 'value', 'output', 'file_path', 'command', 'path'].includes(key);
    if (typeof item === 'string' && isWord) yield [value as Record<string, unknown>, key];
    else yield* leaves(item);
  }
}

function edited(message: Wire, pick: () => number, mark: string): void {
  const all = [...leaves(message)];
  const [holder, key] = all[Math.floor(pick() * all.length)] ?? [];
  if (!holder || key === undefined) return;
  const text = String(holder[key]);
  // Of the same length, or longer: as a redaction and a correction would be.
  holder[key] = pick() < 0.5 && text.length > mark.length ? mark + text.slice(mark.length) : `${text} ${mark}`;
}

const NAME = /m(\d+)(?:~(\d+))?(?:\.\d+|-m(\d+)(?:~(\d+))?)?(?:@[\w-]+)?/g;

/** A text that the window made: a mask or the note. */
const OWN = /\brecall (?:a handle such as )?m\d|^\[(?:Note on the|\d+) earlier /i;

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  return Object.values(value).flatMap(textsOf);
}

function difference(one: string, other: string): string {
  const at = Math.max(0, [...one].findIndex((char, i) => char !== other[i]) - 40);
  return `${one.slice(at, at + 120)} instead of ${other.slice(at, at + 120)}`;
}

function nameOf(index: number, revisions: WindowState['revisions']): string {
  const revision = revisions.findLast(([from]) => from <= index)?.[1] ?? 0;
  return revision === 0 ? `m${index}` : `m${index}~${revision}`;
}

/** A window that is played with, a history that is edited, and all that was ever printed. */
class Play {
  readonly complaints: string[] = [];
  readonly printed = new Map<string, string>();
  fits = 0;
  noticed = 0;
  #window: ConversationWindow<Wire>;
  #history: Wire[] = [];
  readonly #given = new Map<string, string>();
  readonly #archive = memoryArchive<Wire>();
  readonly #format: Format;
  readonly #config: ConversationHistoryConfig;
  readonly #scenario: Scenario;
  readonly #pick: () => number;
  #edits = 0;
  #action = '';

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#format = scenario.format;
    this.#config = scenario.config;
    this.#pick = dice(scenario.dice);
    this.#window = this.#make();
  }

  #make(state?: WindowState<Wire>): ConversationWindow<Wire> {
    const parts: WindowParts<Wire> = {
      dialect: dialectOf(this.#format, this.#scenario.thinking),
      handles: handlesOf(this.#scenario),
      logger: { warn() {} },
      archive: this.#archive,
      onEvent: ({ type }) => {
        if (type === 'history-rewritten') this.noticed++;
      },
      ...(state ? { state } : {}),
    };
    return new ConversationWindow<Wire>(this.#config, parts);
  }

  /** A window that knows nothing but pins and what was learned of tokens. */
  #cold(): ConversationWindow<Wire> {
    const { calibration, pins, revisions } = this.#window.state();
    const dialect = dialectOf(this.#format, this.#scenario.thinking);
    const blank = new ConversationWindow<Wire>(this.#config, { dialect, logger: { warn() {} } }).state();
    return new ConversationWindow<Wire>(this.#config, {
      dialect,
      handles: handlesOf(this.#scenario),
      logger: { warn() {} },
      // Names that were given out are not given again, and longer ones take room.
      state: { ...blank, calibration, pins, revisions: [[0, (revisions.at(-1)?.[1] ?? 0) + 1]] },
    });
  }

  async run(): Promise<Played> {
    let step = 0;
    const steps: readonly Step[] = structuredClone(this.#scenario.steps) as Step[];
    for (let turns = 0; turns < 60 && step < steps.length; turns++) {
      const chance = this.#pick();
      if (chance < 0.5) {
        const { messages, ask } = steps[step++] as Step;
        this.#history.push(...structuredClone(messages as Wire[]));
        this.#action = 'append';
        if (ask) await this.#fit();
      } else await this.#disturb(chance);
    }
    this.#action = 'end';
    await this.#fit();
    for (const [handle, expected] of this.printed) {
      const back = await this.#window.recall(handle).then(({ messages }) => messages.map(bytes).join(), String);
      if (back !== expected) this.complaints.push(`${handle}: ${difference(back, expected)}`);
    }
    return { complaints: this.complaints, handles: this.printed.size, fits: this.fits, noticed: this.noticed };
  }

  async #disturb(chance: number): Promise<void> {
    const at = Math.floor(this.#pick() * this.#history.length);
    const before = [...this.#history];
    const old = structuredClone(this.#history);
    const mark = `edit-${this.#edits++}`;
    this.#action = `${mark} of message ${at} of ${before.length}`;
    const message = this.#history[at];
    if (!message) return;
    if (chance < 0.58) {
      this.#action += ' (copy)';
      const copy = structuredClone(message);
      edited(copy, this.#pick, mark);
      this.#history[at] = copy;
    } else if (chance < 0.66) {
      this.#action += ' (in place)';
      edited(message, this.#pick, mark);
    } else if (chance < 0.74) {
      this.#action += ' (gone back)';
      this.#history = [...this.#history.slice(0, at), say(this.#format, 'user', `Otherwise, ${mark}`)];
    } else if (chance < 0.77) {
      this.#action += ' (removed)';
      this.#history.splice(at, this.#pick() < 0.5 ? 1 : 2);
    } else if (chance < 0.8) {
      this.#action += ' (inserted)';
      this.#history.splice(at, 0, say(this.#format, 'user', `By the way, ${mark}`));
    } else if (chance < 0.86) {
      // Edits while messages lie folded away, then a way back.
      this.#action += ' (in place, then gone back)';
      for (let i = 0; i < 3; i++) {
        const other = this.#history[Math.floor(this.#pick() * at)];
        if (other) edited(other, this.#pick, `${mark}-${i}`);
      }
      if (!(await this.#fit())) return this.#restore(before, old);
      this.#history = [...this.#history.slice(0, at), say(this.#format, 'user', `Otherwise, ${mark}`)];
    } else return this.#use(chance, at);
    if (!(await this.#fit())) this.#restore(before, old);
  }

  /** A history that nobody takes is put back, in place. */
  #restore(before: readonly Wire[], old: readonly Wire[]): void {
    this.#history = before.map((message, i) => {
      for (const key of Object.keys(message)) delete (message as Record<string, unknown>)[key];
      return Object.assign(message, old[i]);
    });
  }

  async #use(chance: number, at: number): Promise<void> {
    const window = this.#window;
    const allowed = (error: unknown) => {
      if (!isHoldfastError(error)) throw error;
      return undefined;
    };
    if (chance < 0.89) this.#keep((await window.undo().catch(allowed)) ?? undefined);
    else if (chance < 0.91) this.#keep((await window.redo().catch(allowed)) ?? undefined);
    else if (chance < 0.93) {
      try {
        if (this.#pick() < 0.7) window.pin(at);
        else window.unpin(at);
      } catch (error) {
        allowed(error);
      }
    } else if (chance < 0.97) {
      this.#window = this.#make(JSON.parse(JSON.stringify(window.state())));
      if (this.#pick() < 0.3) this.#history = structuredClone(this.#history);
    } else {
      const preview = this.#pick() < 0.5;
      const receipt = await window.compact(this.#history, { preview }).catch(allowed);
      if (receipt && preview) await this.#look(receipt);
      else if (receipt) {
        this.#learn();
        this.#keep(receipt);
      }
    }
    this.#action = `use ${chance.toFixed(2)}`;
    await this.#fit();
  }

  /** False if a cold window refuses the history as well. */
  async #fit(): Promise<boolean> {
    this.fits++;
    if (this.#history.length === 0) return false;
    const standing = new Set(
      this.#window.state().turns.flatMap(({ from, count }) => Array.from({ length: count }, (_, i) => from + i)),
    );
    const cold = this.#cold();
    let error: unknown;
    const fitted = await this.#window.fit(this.#history).catch((reason: unknown) => {
      error = reason;
      return undefined;
    });
    if (!fitted) {
      // A broken history passes where a fold happens to drop what breaks it: no promise.
      const wide = new ConversationWindow<Wire>({ max_messages: 0 }, { dialect: dialectOf(this.#format) });
      const accepted = await Promise.allSettled([cold, wide].map((window) => window.fit(this.#history)));
      if (accepted.every(({ status }) => status === 'fulfilled') || !isHoldfastError(error))
        this.#complain(`throws ${String(error)}, a cold window does not`);
      return false;
    }
    const { messages, receipt } = fitted;
    this.#learn(standing);
    this.#keep(receipt, messages);
    const known = this.#format === 'openai-responses' ? { reasoning: reasoningOf(this.#history) } : {};
    for (const { rule, index } of violationsOf(this.#format, messages, known))
      this.#complain(`${rule} at ${index} of the view`);
    const now = new Set(this.#history.map(said));
    for (const message of messages) {
      const isOwn = textsOf(message).some((text) => OWN.test(text));
      if (!isOwn && !now.has(said(message))) this.#complain(`sends what is no more: ${said(message).slice(0, 2000)}`);
    }
    return true;
  }

  /** Which bytes have which name from now on. */
  #learn(standing: ReadonlySet<number> = new Set()): void {
    const { revisions } = this.#window.state();
    for (const [i, message] of this.#history.entries()) {
      const name = nameOf(i, revisions);
      const before = this.#given.get(name);
      if (before === undefined) this.#given.set(name, bytes(message));
      else if (standing.has(i) && said(JSON.parse(before)) !== said(message))
        this.#complain(`message ${i} stood in the view as ${name}, and its edit was not noticed`);
    }
  }

  /** What a preview names leads somewhere at once, and to the same for good, though nobody may ever settle on it. */
  async #look({ turns }: Receipt): Promise<void> {
    for (const { handle } of turns)
      if (handle !== undefined && !this.printed.has(handle))
        this.#expect(handle, (await this.#window.recall(handle)).messages.map(bytes).join());
  }

  #keep(receipt: Receipt | undefined, view: readonly Wire[] = []): void {
    const own = view.flatMap(textsOf).filter((text) => OWN.test(text));
    const fresh = [receipt?.note ?? '', ...(receipt?.turns ?? []).map(({ handle = '' }) => handle)];
    for (const text of fresh) for (const [handle] of text.matchAll(NAME)) this.#print(handle, true);
    for (const text of own)
      for (const [, names = ''] of text.matchAll(/recall (m[^ \]]*)/g))
        for (const [handle] of names.matchAll(NAME)) this.#print(handle, false);
    for (const { from, to, handle } of receipt?.turns ?? []) {
      if (handle === undefined) continue;
      const { revisions } = this.#window.state();
      const expected = Array.from(
        { length: to - from + 1 },
        (_, i) => this.#given.get(nameOf(from + i, revisions)) ?? '',
      );
      this.#expect(handle, expected.join());
    }
  }

  #print(handle: string, isFresh: boolean): void {
    if (this.printed.has(handle) && !isFresh) return;
    const [[, first, , last = first] = []] = [...handle.matchAll(NAME)];
    const { revisions } = this.#window.state();
    const expected: string[] = [];
    for (let i = Number(first); i <= Number(last); i++)
      expected.push(this.#given.get(nameOf(i, revisions)) ?? 'nothing');
    this.#expect(handle, expected.join());
  }

  #expect(handle: string, expected: string): void {
    const before = this.printed.get(handle);
    if (before !== undefined && before !== expected) this.#complain(`${handle} names two things`);
    else this.printed.set(handle, expected);
  }

  #complain(text: string): void {
    this.complaints.push(`${this.#action}: ${text}`);
  }
}

/** Plays a conversation with rewinds, edits of all kinds, undo, redo, pins and restored states, beside a cold window. */
export function playRewrites(scenario: Scenario): Promise<Played> {
  return new Play(scenario).run();
}
