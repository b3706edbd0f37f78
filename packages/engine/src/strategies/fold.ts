import { type Budget, exceeds } from '../budget.ts';
import { MASK_NAMES_CHARS } from '../mask.ts';
import type { CallKind, Strategy, Turn, TurnResult, Verdict } from '../strategy.ts';

/** Characters of head and tail that a masked result keeps, names aside. From replays: more costs more than it saves. */
const MASK_CHARS = 200;

/** A fold leaves at least this many tokens beyond what must stay, or an agent with a long system prompt keeps nothing. */
const TAIL_TOKENS = 1_500;

/**
 * How much a token is worth when it is new: how many lines and names of such text a later call needed, for each token of it,
 * on recorded conversations. Only their order and rough distance matter; halving any of them changes little.
 */
const CALL_WORTH = { words: 8, text: 3, calls: 12, writes: 18 } as const;
const RESULT_WORTH: Readonly<Record<CallKind, number>> = { read: 14, other: 10, write: 5, search: 2.5, command: 1.2 };
const OLDER_READ_WORTH = 3;
const REPEATED_WORTH = 0.1;
/** Tokens after which a turn is worth half. */
const HALF_LIFE = 6_000;

/**
 * Our own. Goes far down at once, so that the cached prefix is rewritten seldom, and keeps what is worth most for its size:
 * recent calls and reads word for word, older turns with their results masked, the oldest gone into the digest.
 */
export const fold: Strategy = {
  name: 'fold',
  target: { messages: 0.5, tokens: 0.15 },
  due: (size, budget) => exceeds(size, budget.max),
  judge(turns, budget) {
    const verdicts: Verdict[] = turns.map((turn) => (turn.kept ? 'keep' : 'drop'));
    const spent = { messages: 1, tokens: budget.reserve + budget.note };
    for (const turn of turns) if (turn.kept) spend(spent, turn.messages, turn.tokens);
    const tokens = Math.max(
      budget.target.tokens,
      spent.tokens + Math.min(TAIL_TOKENS, 0.1 * (budget.max.tokens - budget.reserve)),
    );
    for (const offer of offersOf(turns, budget)) {
      const turn = turns[offer.turn] as Turn;
      const verdict = verdicts[offer.turn];
      if (offer.verdict === 'keep' && verdict === 'drop') continue;
      const messages = verdict === 'drop' ? turn.messages : 0;
      const bound = { messages: turn.recent ? budget.max.messages : budget.target.messages, tokens };
      if (exceeds({ messages: spent.messages + messages, tokens: spent.tokens + offer.tokens }, bound)) continue;
      verdicts[offer.turn] = offer.verdict;
      spend(spent, messages, offer.tokens);
    }
    return { verdicts, note: 'digest', mask_chars: MASK_CHARS };
  },
};

function spend(spent: { messages: number; tokens: number }, messages: number, tokens: number): void {
  spent.messages += messages;
  spent.tokens += tokens;
}

/** What a fold may keep of a turn: its calls and masked results, and then the results word for word. */
interface Offer {
  readonly turn: number;
  readonly verdict: 'mask' | 'keep';
  readonly tokens: number;
  readonly worth: number;
}

/** Two offers for each turn that may go, the best worth first. A cold start looks no further back than the budget reaches. */
function offersOf(turns: readonly Turn[], budget: Budget): Offer[] {
  const offers: Offer[] = [];
  const read = new Set<string>();
  let age = 0;
  const oldest = Math.max(0, turns.length - budget.max.messages);
  for (let i = turns.length - 1; i >= oldest && age <= budget.max.tokens; i--) {
    const turn = turns[i] as Turn;
    if (!turn.kept) {
      const fade = (1 + turn.focus) / (1 + age / HALF_LIFE);
      const { saved, worth } = resultsOf(turn, read, budget.rates.character);
      const calls = callWorth(turn);
      offers.push({ turn: i, verdict: 'mask', tokens: turn.tokens - saved, worth: calls * fade });
      offers.push({ turn: i, verdict: 'keep', tokens: saved, worth: (saved > 0 ? worth : calls) * fade });
    }
    for (const result of turn.results) if (result.kind === 'read') for (const file of result.files) read.add(file);
    age += turn.tokens;
  }
  return offers.sort((a, b) => b.worth - a.worth || b.turn - a.turn || (a.verdict === 'mask' ? -1 : 1));
}

function callWorth(turn: Turn): number {
  if (turn.words) return CALL_WORTH.words;
  if (turn.results.length === 0) return CALL_WORTH.text;
  return turn.results.some((result) => result.kind === 'write') ? CALL_WORTH.writes : CALL_WORTH.calls;
}

/** Tokens that masking the turn's results saves, and what a saved token was worth. */
function resultsOf(turn: Turn, read: ReadonlySet<string>, rate: number): { saved: number; worth: number } {
  let saved = 0;
  let worth = 0;
  for (const result of turn.results) {
    const mask = Math.ceil((MASK_CHARS + MASK_NAMES_CHARS + 100) * rate);
    const tokens = result.masked ? 0 : Math.max(0, result.tokens - mask);
    saved += tokens;
    worth += tokens * resultWorth(result, read);
  }
  return { saved, worth: saved > 0 ? worth / saved : 0 };
}

function resultWorth(result: TurnResult, read: ReadonlySet<string>): number {
  if (result.repeated) return REPEATED_WORTH;
  if (result.kind === 'read' && result.files.some((file) => read.has(file))) return OLDER_READ_WORTH;
  return RESULT_WORTH[result.kind];
}
