import { type ChatMessage, commonPrefix } from './chat.ts';
import { createMeter, messageSize, type Prices } from './cost.ts';
import { literals, neededLiterals } from './literals.ts';
import { createPresence, rememberByMessage } from './presence.ts';
import { lines, neededLines } from './spans.ts';
import { chatViolations } from './validity.ts';

/** What decides which messages are sent. It sees the whole history before each call and must not change it. */
export interface Policy {
  view(history: readonly ChatMessage[]): readonly ChatMessage[] | Promise<readonly ChatMessage[]>;
}

/** How to measure. Every field has the default that the published figures use. */
export interface ReplayOptions {
  /** 0.1 and 1.25 times the base input price. */
  readonly prices?: Prices;
  /** Tokens before the messages, always cached: 10,000. */
  readonly overhead?: number;
  /** Tokens of a message: ceil(characters / 3) + 4. */
  readonly size?: (message: ChatMessage) => number;
  /** The most tokens that the messages of a view may have, overhead not included; counts the views above it. */
  readonly budget?: number;
  /** What makes a request invalid: the pairing rules of OpenAI chat. */
  readonly validate?: (messages: readonly ChatMessage[]) => readonly unknown[];
  /** Milliseconds, to measure the policy's time. */
  readonly clock?: () => number;
}

/** What a policy did to one conversation, or to several. */
export interface ReplayResult {
  /** Recorded answers, each of which was a request. */
  readonly calls: number;
  /** In tokens at the base input price. */
  readonly cost: number;
  /** Tokens of the largest view, without overhead. */
  readonly peak: number;
  /** Tokens of all requests, with overhead. */
  readonly tokens: number;
  /** Of these, read from the cache. */
  readonly cached: number;
  /** Calls whose view does not begin with the whole previous view. */
  readonly rewrites: number;
  /** Calls whose view breaks a rule of the wire format. */
  readonly invalid: number;
  /** Calls whose view differs from the history: the only ones that the four figures below count. */
  readonly boundedCalls: number;
  /** Literals that the answer used and that stood in the history. */
  readonly needed: number;
  /** Of these, in the view. */
  readonly had: number;
  /** Lines that the answer's edits replaced or leaned on and that stood in the history. */
  readonly spans: number;
  /** Of these, in the view. */
  readonly spansHad: number;
  /** The policy's own time; 0 without a clock. */
  readonly ms: number;
  /** Calls whose view is larger than the budget; only where a budget was given. */
  readonly overBudget?: number;
}

type Tally = { -readonly [K in keyof ReplayResult]: ReplayResult[K] };

const literalsOf = rememberByMessage(literals);
const linesOf = rememberByMessage(lines);
const neededLiteralsOf = rememberByMessage(neededLiterals);
const neededLinesOf = rememberByMessage(neededLines);

/**
 * Asks a new policy for the view of every recorded call and measures it, without a model. Each assistant message but a
 * leading one is a call; its history is all before it. Rejects only with what the policy or an option throws.
 */
export async function replay(
  conversation: { readonly messages: readonly ChatMessage[] },
  makePolicy: () => Policy,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const { messages } = conversation;
  const { clock = () => 0 } = options;
  const policy = makePolicy();
  const tally = emptyTally(options);
  const measure = createMeasure(tally, options);
  for (const [index, answer] of messages.entries()) {
    if (answer.role !== 'assistant' || index === 0) continue;
    const history = messages.slice(0, index);
    const start = clock();
    const view = await policy.view(history);
    tally.ms += clock() - start;
    measure(history, view, answer);
  }
  return tally;
}

/** A function that adds one call after another to the tally. */
function createMeasure(tally: Tally, options: ReplayOptions) {
  const { prices = { read: 0.1, write: 1.25 }, overhead = 10_000, size = messageSize } = options;
  const { budget = Number.POSITIVE_INFINITY, validate = chatViolations } = options;
  const charge = createMeter({ prices, overhead, size });
  const findLiterals = createPresence(literalsOf);
  const findLines = createPresence(linesOf);

  return (history: readonly ChatMessage[], view: readonly ChatMessage[], answer: ChatMessage): void => {
    const { cost, total, cached, rewrite } = charge(view);
    tally.calls += 1;
    tally.cost += cost;
    tally.peak = Math.max(tally.peak, total);
    tally.tokens += total + overhead;
    tally.cached += cached + overhead;
    if (rewrite) tally.rewrites += 1;
    if (validate(view).length > 0) tally.invalid += 1;
    if (total > budget && tally.overBudget !== undefined) tally.overBudget += 1;
    if (sameMessages(view, history)) return;
    tally.boundedCalls += 1;
    const words = findLiterals(neededLiteralsOf(answer), history, view);
    tally.needed += words.needed;
    tally.had += words.had;
    const spans = findLines(neededLinesOf(answer), history, view);
    tally.spans += spans.needed;
    tally.spansHad += spans.had;
  };
}

function emptyTally({ budget }: ReplayOptions): Tally {
  const tally = {
    calls: 0,
    cost: 0,
    peak: 0,
    tokens: 0,
    cached: 0,
    rewrites: 0,
    invalid: 0,
    boundedCalls: 0,
    needed: 0,
    had: 0,
    spans: 0,
    spansHad: 0,
    ms: 0,
  };
  return budget === undefined ? tally : { ...tally, overBudget: 0 };
}

function sameMessages(a: readonly ChatMessage[], b: readonly ChatMessage[]): boolean {
  return a.length === b.length && commonPrefix(a, b) === a.length;
}
