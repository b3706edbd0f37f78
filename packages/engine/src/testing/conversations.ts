import { jsonClone } from './compare.ts';
import type { Fixture, FixtureCall, FixtureResult } from './fixture.ts';
import { createDice, type Dice, longText, SAME_TEXT, someText } from './words.ts';

/** What a fixture had to express, and the messages it wrote. */
export interface FixtureStep<M> {
  readonly kind: 'user' | 'assistant' | 'results' | 'system';
  readonly messages: readonly M[];
  /** Place of the first message in the history. */
  readonly at: number;
  readonly text: string;
  readonly calls: readonly FixtureCall[];
  readonly results: readonly FixtureResult[];
  readonly thinking: boolean;
  readonly failed: boolean;
  readonly marked: boolean;
}

/** A valid conversation; all messages are deeply frozen. */
export interface Conversation<M> {
  readonly seed: number;
  readonly said: readonly FixtureStep<M>[];
  readonly history: readonly M[];
}

const SEEDS = [1, 2, 3, 4, 5];
const TOOLS = ['read_file', 'edit_file', 'run_command', 'search'] as const;

/** Always the same conversations for the same fixture. */
export function makeConversations<M>(fixture: Fixture<M>, systemInside: string): Conversation<M>[] {
  return SEEDS.map((seed) => new Writer(fixture, systemInside === 'anywhere', seed).write(3 + seed));
}

class Writer<M> {
  readonly #fixture: Fixture<M>;
  /** System messages may come first. */
  readonly #leads: boolean;
  readonly #seed: number;
  readonly #dice: Dice;
  readonly #said: FixtureStep<M>[] = [];
  readonly #history: M[] = [];
  #calls = 0;
  #marks = 0;

  constructor(fixture: Fixture<M>, leads: boolean, seed: number) {
    this.#fixture = fixture;
    this.#leads = leads;
    this.#seed = seed;
    this.#dice = createDice(seed);
  }

  write(rounds: number): Conversation<M> {
    const { system } = this.#fixture;
    if (system && this.#leads) this.#system();
    for (let i = 0; i < rounds; i++) this.#round(i);
    return { seed: this.#seed, said: this.#said, history: Object.freeze(this.#history) };
  }

  #add(kind: FixtureStep<M>['kind'], messages: readonly M[], what: Partial<FixtureStep<M>>): void {
    const nothing = { text: '', calls: [], results: [], thinking: false, failed: false, marked: false };
    const frozen = deepFreeze(jsonClone(messages));
    this.#said.push({ ...nothing, ...what, kind, messages: frozen, at: this.#history.length });
    this.#history.push(...frozen);
  }

  #system(): void {
    const text = someText(this.#dice);
    const message = this.#fixture.system?.(text);
    if (message) this.#add('system', [message], { text });
  }

  #round(place: number): void {
    const dice = this.#dice;
    this.#user(place);
    if (this.#fixture.system && dice(4) === 0) {
      this.#system();
      this.#response(1);
    }
    for (let turns = dice(5); turns > 0; turns--) this.#response(1 + dice(3));
    if (dice(3) > 0) this.#response(0);
  }

  #user(place: number): void {
    const { user, image, marked } = this.#fixture;
    const text = place > 0 && this.#dice(5) === 0 ? longText(this.#dice, 900) : someText(this.#dice);
    const plain = image && place % 3 === 1 ? image(text, PNG) : user(text);
    const isMarked = marked !== undefined && place % 3 === 2 && this.#marks++ < 2;
    this.#add('user', [isMarked ? marked(plain) : plain], { text, marked: isMarked });
  }

  /** A response with this many calls, and their results. */
  #response(count: number): void {
    const { assistant, thinking } = this.#fixture;
    const dice = this.#dice;
    const text = count === 0 || dice(2) === 0 ? someText(dice) : '';
    const calls = Array.from({ length: count }, () => this.#call());
    const thinks = thinking !== undefined && dice(3) > 0;
    const messages = thinks ? thinking(someText(dice), text, calls) : assistant(text, calls);
    this.#add('assistant', messages, { text, calls, thinking: thinks });
    if (count > 0) this.#results(calls.map(({ id, name }) => ({ id, name, content: resultText(dice) })));
  }

  #results(results: readonly FixtureResult[]): void {
    const { results: plain, failed, aside } = this.#fixture;
    const way = this.#dice(6);
    if (way === 0 && failed) this.#add('results', failed(results), { results, failed: true });
    else if (way === 1 && aside) {
      const text = someText(this.#dice);
      this.#add('results', aside(results, text), { results, text });
    } else this.#add('results', plain(results), { results });
  }

  #call(): FixtureCall {
    const dice = this.#dice;
    const name = TOOLS[dice(TOOLS.length)] ?? 'search';
    const file = `src/part-${dice(9)}/file_${dice(30)}.ts`;
    const input =
      name === 'run_command'
        ? { command: `npm test -- ${file}` }
        : { file_path: file, options: { lines: [1, dice(90)] } };
    return { id: `call_${this.#seed}_${this.#calls++}`, name, input };
  }
}

function resultText(dice: Dice): string {
  const kind = dice(8);
  if (kind === 0) return '';
  if (kind === 1) return SAME_TEXT;
  return kind < 4 ? someText(dice) : longText(dice, 400 + dice(4_000));
}

/** A PNG of 800 × 600 according to its header, much longer in base64 than it costs in tokens. */
export const PNG = `iVBORw0KGgoAAAANSUhEUgAAAyAAAAJYCAIAAAAAAAAA${'QkFTRTY0'.repeat(500)}`;

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
