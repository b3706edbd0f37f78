import { ByPath } from '../note/ledger.ts';
import { type Budget, exceeds } from '../size/budget.ts';
import type { Preference, Strategy, Turn, TurnResult, Verdict } from '../strategy.ts';
import { MASK_NAMES_CHARS } from '../view/mask.ts';

/** Keys that only this strategy reads, with their defaults. */
export const FOLD: { readonly prefer: Preference } = { prefer: 'balance' };

/** What `prefer` sets. */
export interface Dial {
  /** Beyond what must stay, a fold fills at most this share of the room for messages, by the worth of turns. */
  readonly choice: number;
  /** What is worth less stays only within the target: every call would read it and every fold write it again. */
  readonly least: number;
  /** Never folds while less than this share of the room for messages is used. */
  readonly from: number;
  /** What reading the excess must have cost before a fold is due, as a multiple of writing the folded view again. */
  readonly patience: number;
  /** The share of `max.tokens` that a fold goes down to. */
  readonly target: number;
  /** Most tokens of a note, and the share of the room for messages that words may take in addition, at least. */
  readonly note: number;
  readonly words: number;
  /** What a reminder may take: `reminder_share` of a strategy. */
  readonly reminders: number;
}

/** Measured: docs/decisions/0036. `memory` has no patience: it folds at the first pause near the end of the budget. */
export const DIALS: Readonly<Record<Preference, Dial>> = {
  price: { choice: 0.1, least: 12, from: 0.3, patience: 0.4, target: 0.13, note: 2_700, words: 0, reminders: 0.03 },
  balance: {
    choice: 0.3,
    least: 6.2,
    from: 0.3,
    patience: 0.45,
    target: 0.11,
    note: 3_000,
    words: 0.025,
    reminders: 0.13,
  },
  memory: { choice: 0.35, least: 0.45, from: 0.85, patience: 0, target: 0.3, note: 4_000, words: 0.3, reminders: 0.13 },
};

/** Characters of head and tail that a masked result keeps, names aside. From replays: more costs more than it saves. */
const MASK_CHARS = 100;
/** About this share of a folded view is written to the cache again; what precedes the first change stays cached. */
const REWRITTEN = 0.5;
/** When the user starts the next task, what the last one read is no longer needed: the fold has to save only this share. */
const ASKED_SHARE = 0.2;
/** The newest calls, with their results masked, may take this share of the target beyond what must stay. */
const CALLS_SHARE = 0.15;
/** A read of more tokens than this stays as an excerpt, if there is one. */
const LONG_READ = 500;

/** Words are cheap where there is much room: of what exceeds this many tokens they may take this share, if that is more. */
const LARGE_WORDS = 0.2;
const SMALL_ROOM = 35_000;

/** The worth of a new token, and the number of later tokens after which it has halved. */
interface Value {
  readonly worth: number;
  readonly half: number;
}

/**
 * How many lines of 10,000 such tokens the calls up to the next fold edited, in recorded conversations of many agents
 * (docs/decisions/0036). Results of calls other than reads were hardly ever needed verbatim: names in mask and note suffice.
 */
export interface Values {
  /** The newest calls, and the assistant's words without calls. */
  readonly calls: Value;
  readonly words: Value;
  /** One of the newest calls, and it changed a file. */
  readonly changing: Value;
  /** A read for the current task, of a file that is not changed yet; the same, and the user named the file. */
  readonly unchanged: Value;
  readonly named: Value;
  /** The newest read of a file that was changed before. */
  readonly checked: Value;
  /** A read for an earlier task, of a file that was changed since (reminders bring back its lines), or that a later read shows. */
  readonly left: Value;
}

export const VALUES: Values = {
  calls: { worth: 5, half: 1_500 },
  words: { worth: 3, half: 3_000 },
  changing: { worth: 8, half: 20_000 },
  unchanged: { worth: 9, half: 30_000 },
  named: { worth: 14, half: 80_000 },
  checked: { worth: 25, half: 30_000 },
  left: { worth: 0.7, half: 30_000 },
};

/** What a change wrote stays for this many turns: agents edit their own lines again, and seldom read them first. */
const WRITTEN_TURNS = 8;

/**
 * The default. Folds when reading the excess has cost as much as writing the folded view again (with `memory`, when the budget
 * is nearly used up), though not in the middle of a piece of work. Goes far down and keeps what is worth most for its size: the
 * newest calls, what they wrote, and files read for the current task and not changed yet, or the mentioned lines of them. The
 * rest goes into the digest. The note precedes the newest turn, so that everything before it stays cached.
 */
export function fold({ prefer }: typeof FOLD): readonly Strategy[] {
  return [foldStrategy(DIALS[prefer])];
}

/** The strategy with other figures than the defaults, to measure them. */
export function foldStrategy(dial: Dial, values: Values = VALUES): Strategy {
  return {
    name: 'fold',
    target: { messages: 0.5, tokens: dial.target },
    note_tokens: dial.note,
    reminder_share: dial.reminders,
    note_words: (room) => (dial.words > 0 ? Math.max(dial.words * room, LARGE_WORDS * (room - SMALL_ROOM)) : 0),
    due(size, budget) {
      const { reserve, max, note, words, grown, newest, asked, working, history, write_price } = budget;
      if (exceeds(size, max)) return true;
      // In the middle of its work the agent needs what it has just read and written.
      if (working && !asked) return false;
      const tokens = size.tokens - reserve;
      if (tokens <= dial.from * (max.tokens - reserve)) return false;
      // Each call since the last fold has read the new text, on average half of what there is now; the newest turn stays
      // in any case.
      const folded = Math.max(tokens - grown, 3 * (note - words));
      const turn = (2 * (history.tokens - reserve)) / history.messages;
      const extra = tokens - folded - newest;
      const rewritten = REWRITTEN * (asked ? Math.min(ASKED_SHARE, dial.patience) : dial.patience) * folded;
      return extra > 0 && extra ** 2 > 2 * write_price * rewritten * turn;
    },
    judge(turns, budget) {
      const verdicts: Verdict[] = turns.map((turn) => (turn.kept ? 'keep' : 'drop'));
      const spare: number[][] = turns.map(() => []);
      const excerpts: number[][] = turns.map(() => []);
      const whole: boolean[] = turns.map(() => false);
      const spent = { messages: 1, tokens: budget.reserve + budget.note };
      // Older turns leave room for those that `preserve_last_n` promises; otherwise a fold would leave a full view.
      let waiting = 0;
      for (const turn of turns) {
        if (turn.kept) spend(spent, turn.messages, turn.tokens);
        else if (turn.recent) waiting += turn.messages;
      }
      const choice = Math.max(budget.target.tokens, spent.tokens + dial.choice * (budget.max.tokens - budget.reserve));
      const calls = spent.tokens + CALLS_SHARE * (budget.target.tokens - budget.reserve);
      for (const offer of offersOf(turns, budget, values)) {
        const turn = turns[offer.turn] as Turn;
        const isIn = verdicts[offer.turn] === 'mask';
        if (isIn && offer.result === undefined && !offer.written) continue;
        const messages = isIn ? 0 : turn.messages;
        const tokens = offer.tokens + (isIn ? 0 : offer.calls);
        const bound = {
          messages: turn.recent ? budget.max.messages : budget.target.messages - waiting,
          tokens: offer.worth < dial.least ? calls : choice,
        };
        if (exceeds({ messages: spent.messages + messages, tokens: spent.tokens + tokens }, bound)) continue;
        verdicts[offer.turn] = 'mask';
        if (turn.recent) waiting -= messages;
        if (offer.written) whole[offer.turn] = true;
        if (offer.result !== undefined) (offer.part ? excerpts : spare)[offer.turn]?.push(offer.result);
        spend(spent, messages, tokens);
      }
      const short_arguments = whole.map((isWhole) => !isWhole);
      return {
        verdicts,
        note: 'digest',
        note_place: 'newest',
        mask_chars: MASK_CHARS,
        spare,
        excerpts,
        short_arguments,
      };
    },
  };
}

function spend(spent: { messages: number; tokens: number }, messages: number, tokens: number): void {
  spent.messages += messages;
  spent.tokens += tokens;
}

/** What a fold may keep of a turn: its calls with short arguments and masked results; in addition its arguments, or one result or an excerpt of it. */
interface Offer {
  readonly turn: number;
  readonly result?: number;
  /** The long arguments of its calls, whole. */
  readonly written?: boolean;
  /** Only the lines that the conversation mentions. */
  readonly part?: boolean;
  /** Tokens of the result or the arguments beyond their masks, and of the calls with all of them masked. */
  readonly tokens: number;
  readonly calls: number;
  readonly worth: number;
}

/** What later turns did: which lines of each file they read, which files they changed, whether the user spoke. */
interface Later {
  readonly read: ByPath<(readonly [from: number, to: number])[]>;
  readonly changed: ByPath<boolean>;
  turns: number;
  asked: boolean;
}

/** Offers for each turn that may go, the best first. A cold start looks back only as far as the budget reaches. */
function offersOf(turns: readonly Turn[], budget: Budget, values: Values): Offer[] {
  const offers: Offer[] = [];
  const later: Later = { read: new ByPath(), changed: new ByPath(), turns: 0, asked: false };
  const mask = Math.ceil((MASK_CHARS + MASK_NAMES_CHARS + 100) * budget.rates.character);
  let age = 0;
  const oldest = Math.max(0, turns.length - budget.max.messages);
  for (let i = turns.length - 1; i >= oldest && age <= budget.max.tokens; i--) {
    const turn = turns[i] as Turn;
    if (!turn.kept) {
      const saved = turn.results.map(({ masked, tokens }) => (masked ? 0 : Math.max(0, tokens - mask)));
      const calls = saved.reduce((left, tokens) => left - tokens, turn.tokens - turn.argument_tokens);
      const worth = ({ worth, half }: Value) => ((1 + turn.focus) * worth) / (1 + age / half);
      const made = Math.max(...callValues(turn, later, values).map(worth));
      const standing = standingValues(turn, later, values).map(worth);
      offers.push({ turn: i, tokens: 0, calls, worth: Math.max(made, ...standing) });
      if (turn.argument_tokens > 0)
        offers.push({ turn: i, written: true, tokens: turn.argument_tokens, calls, worth: made });
      saved.forEach((tokens, result) => {
        const facts = turn.results[result] as TurnResult;
        const value = tokens > 0 && worthOf(facts, later, values);
        if (!value) return;
        const excerpt = tokens > LONG_READ ? facts.excerpt : 0;
        const part = excerpt > 0;
        offers.push({ turn: i, result, part, tokens: part ? excerpt : tokens, calls, worth: worth(value) });
      });
    }
    remember(turn, later);
    age += turn.tokens;
  }
  return offers.sort((a, b) => b.worth - a.worth || b.turn - a.turn || (a.result ?? -1) - (b.result ?? -1));
}

function remember({ results, role }: Turn, later: Later): void {
  for (const { kind, files, lines } of results)
    for (const file of files) {
      if (kind === 'read') later.read.set(file, [...(later.read.get(file) ?? []), lines]);
      if (kind === 'write') later.changed.set(file, true);
    }
  if (role === 'user') later.asked = true;
  later.turns++;
}

/** The values of a turn's calls with their arguments. */
function callValues({ results }: Turn, later: Later, values: Values): Value[] {
  const changes = later.turns < WRITTEN_TURNS && results.some(({ kind }) => kind === 'write');
  return [results.length > 0 ? values.calls : values.words, ...(changes ? [values.changing] : [])];
}

/** The values of excerpts in a turn from an earlier fold. */
function standingValues({ results }: Turn, later: Later, values: Values): Value[] {
  return results.flatMap((one) => (one.masked && one.excerpt > 0 && worthOf(one, later, values)) || []);
}

/** The value of a result verbatim; undefined if its names suffice. */
function worthOf(result: TurnResult, later: Later, values: Values): Value | undefined {
  const { kind, files, lines, repeated, edited, named } = result;
  if (kind !== 'read' || repeated) return undefined;
  if (files.some((file) => later.read.get(file)?.some(([from, to]) => from <= lines[0] && to >= lines[1])))
    return values.left;
  if (files.some((file) => later.changed.get(file))) return values.left;
  if (edited) return values.checked;
  return later.asked ? values.left : named ? values.named : values.unchanged;
}
