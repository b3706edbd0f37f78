import { fileName } from '../note/ledger.ts';
import { type Budget, exceeds } from '../size/budget.ts';
import type { Strategy, Turn, TurnResult, Verdict } from '../strategy.ts';
import { MASK_NAMES_CHARS } from '../view/mask.ts';

/** Characters of head and tail that a masked result keeps, names aside. From replays: more costs more than it saves. */
const MASK_CHARS = 100;

/** Of the room for messages beyond what must stay, a fold fills at most this share, by the worth of turns. */
const CHOICE_SHARE = 0.23;

/** About this share of a folded view is written to the cache again; what precedes the first change stays cached. */
const REWRITTEN = 0.5;
/** When the user starts the next task, what the last one read is no longer needed: the fold has to save only this share. */
const ASKED_SHARE = 0.2;
/** Never folds while less than this share of the room for messages is used. */
const LEAST_SHARE = 0.3;
/** The newest calls, with their results masked, may take this share of the target beyond what must stay. */
const CALLS_SHARE = 1 / 3;

/** The worth of a new token, and the number of later tokens after which it has halved. */
interface Value {
  readonly worth: number;
  readonly half: number;
}

/**
 * How many lines and names of such text later calls needed, for each token, in recorded conversations. Results of calls other
 * than reads were hardly ever needed verbatim: names in mask and note suffice. Only order and rough distance matter
 * (docs/decisions/0015).
 */
const CALLS: Value = { worth: 10, half: 1_500 };
const WORDS: Value = { worth: 3, half: 3_000 };
const READ: Value = { worth: 3.4, half: 20_000 };
/** A read of a file that was read again later, in part or whole: the agent keeps coming back to it. */
const READ_AGAIN: Value = { worth: 8.5, half: 20_000 };
const NAMED: Value = { worth: 14, half: 20_000 };
/** The latest read of a file that was changed after the read, and before it. */
const CHANGED: Value = { worth: 25, half: 20_000 };
const EDITED: Value = { worth: 35, half: 25_000 };
/** A read of more tokens than this stays as an excerpt, if there is one. */
const LONG_READ = 500;
/** What is worth less stays only within the target: every call would read it and every fold write it again. */
const LEAST_WORTH = 7;

/**
 * The default. Folds when reading the excess has cost as much as writing the folded view again, goes far down, and keeps what
 * is worth most for its size: the newest calls, and reads of files that are being edited or mentioned, or the mentioned lines
 * of them; the rest goes into the digest. The note precedes the newest turn, so that everything before it stays cached.
 */
export const fold: Strategy = {
  name: 'fold',
  target: { messages: 0.5, tokens: 0.15 },
  due(size, budget) {
    const { reserve, max, note, grown, newest, asked, history, write_price } = budget;
    if (exceeds(size, max)) return true;
    const tokens = size.tokens - reserve;
    if (tokens <= LEAST_SHARE * (max.tokens - reserve)) return false;
    // Each call since the last fold has read the new text, on average half of what there is now; the newest turn stays
    // in any case.
    const folded = Math.max(tokens - grown, 3 * note);
    const turn = (2 * (history.tokens - reserve)) / history.messages;
    const extra = tokens - folded - newest;
    const rewritten = REWRITTEN * (asked ? ASKED_SHARE : 1) * folded;
    return extra > 0 && extra ** 2 > 2 * write_price * rewritten * turn;
  },
  judge(turns, budget) {
    const verdicts: Verdict[] = turns.map((turn) => (turn.kept ? 'keep' : 'drop'));
    const spare: number[][] = turns.map(() => []);
    const excerpts: number[][] = turns.map(() => []);
    const spent = { messages: 1, tokens: budget.reserve + budget.note };
    // Older turns leave room for those that `preserve_last_n` promises; otherwise a fold would leave a full view.
    let waiting = 0;
    for (const turn of turns) {
      if (turn.kept) spend(spent, turn.messages, turn.tokens);
      else if (turn.recent) waiting += turn.messages;
    }
    const choice = Math.max(budget.target.tokens, spent.tokens + CHOICE_SHARE * (budget.max.tokens - budget.reserve));
    const calls = spent.tokens + CALLS_SHARE * (budget.target.tokens - budget.reserve);
    for (const offer of offersOf(turns, budget)) {
      const turn = turns[offer.turn] as Turn;
      const isIn = verdicts[offer.turn] === 'mask';
      if (isIn && offer.result === undefined) continue;
      const messages = isIn ? 0 : turn.messages;
      const tokens = offer.tokens + (isIn ? 0 : offer.calls);
      const bound = {
        messages: turn.recent ? budget.max.messages : budget.target.messages - waiting,
        tokens: offer.worth < LEAST_WORTH ? calls : choice,
      };
      if (exceeds({ messages: spent.messages + messages, tokens: spent.tokens + tokens }, bound)) continue;
      verdicts[offer.turn] = 'mask';
      if (turn.recent) waiting -= messages;
      if (offer.result !== undefined) (offer.part ? excerpts : spare)[offer.turn]?.push(offer.result);
      spend(spent, messages, tokens);
    }
    return { verdicts, note: 'digest', note_place: 'newest', mask_chars: MASK_CHARS, spare, excerpts };
  },
};

function spend(spent: { messages: number; tokens: number }, messages: number, tokens: number): void {
  spent.messages += messages;
  spent.tokens += tokens;
}

/** What a fold may keep of a turn: its calls with masked results, and in addition one result or an excerpt of it. */
interface Offer {
  readonly turn: number;
  readonly result?: number;
  /** Only the lines that the conversation mentions. */
  readonly part?: boolean;
  /** Tokens of the result beyond its mask, and of the calls with all results masked. */
  readonly tokens: number;
  readonly calls: number;
  readonly worth: number;
}

/** Files that later turns read and wrote. */
interface Later {
  readonly read: Set<string>;
  readonly changed: Set<string>;
}

/** Offers for each turn that may go, the best first. A cold start looks back only as far as the budget reaches. */
function offersOf(turns: readonly Turn[], budget: Budget): Offer[] {
  const offers: Offer[] = [];
  const later: Later = { read: new Set(), changed: new Set() };
  const mask = Math.ceil((MASK_CHARS + MASK_NAMES_CHARS + 100) * budget.rates.character);
  let age = 0;
  const oldest = Math.max(0, turns.length - budget.max.messages);
  for (let i = turns.length - 1; i >= oldest && age <= budget.max.tokens; i--) {
    const turn = turns[i] as Turn;
    if (!turn.kept) {
      const saved = turn.results.map(({ masked, tokens }) => (masked ? 0 : Math.max(0, tokens - mask)));
      const calls = saved.reduce((left, tokens) => left - tokens, turn.tokens);
      const worth = ({ worth, half }: Value) => ((1 + turn.focus) * worth) / (1 + age / half);
      offers.push({ turn: i, tokens: 0, calls, worth: Math.max(...valuesOf(turn, later).map(worth)) });
      saved.forEach((tokens, result) => {
        const facts = turn.results[result] as TurnResult;
        const value = tokens > 0 && worthOf(facts, later);
        if (!value) return;
        const excerpt = tokens > LONG_READ ? facts.excerpt : 0;
        const part = excerpt > 0;
        offers.push({ turn: i, result, part, tokens: part ? excerpt : tokens, calls, worth: worth(value) });
      });
    }
    for (const { kind, files } of turn.results) {
      const met = kind === 'read' ? later.read : kind === 'write' ? later.changed : undefined;
      for (const file of files) met?.add(fileName(file));
    }
    age += turn.tokens;
  }
  return offers.sort((a, b) => b.worth - a.worth || b.turn - a.turn || (a.result ?? -1) - (b.result ?? -1));
}

/** The value of a turn's calls, and of excerpts in it from an earlier fold. */
function valuesOf({ results }: Turn, later: Later): Value[] {
  const standing = results.flatMap((result) => (result.masked && result.excerpt > 0 && worthOf(result, later)) || []);
  return [results.length > 0 ? CALLS : WORDS, ...standing];
}

/** The value of a result verbatim; undefined if its names suffice. */
function worthOf({ kind, files, repeated, edited, named }: TurnResult, { read, changed }: Later): Value | undefined {
  if (kind !== 'read' || repeated) return undefined;
  const isIn = (met: ReadonlySet<string>) => files.some((file) => met.has(fileName(file)));
  if (isIn(read)) return isIn(changed) ? undefined : READ_AGAIN;
  if (isIn(changed)) return CHANGED;
  return edited ? EDITED : named ? NAMED : READ;
}
