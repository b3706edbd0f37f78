import type { Receipt } from '../fold/receipt.ts';
import type { Billed, CacheRules } from './cache.ts';
import type { ChatMessage } from './chat.ts';
import { messageSize, type Prices } from './cost.ts';
import type { Fills } from './fills.ts';
import { createMeasure } from './measure.ts';
import { chatViolations } from './validity.ts';

/** What decides which messages are sent. It sees the whole history before each call and must not change it. */
export interface Policy {
  view(history: readonly ChatMessage[]): readonly ChatMessage[] | Promise<readonly ChatMessage[]>;
  /** What the fold of the last view did, if it was one. */
  receipt?(): Receipt | undefined;
  /** The original of the message at this place of the history, if the policy can give it back. May reject. */
  recall?(place: number): readonly ChatMessage[] | Promise<readonly ChatMessage[]>;
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
  /** Bills each call by a provider's own rules, too: `price` is what a prompt costs, in any unit. */
  readonly billing?: { readonly rules: CacheRules; readonly price: (billed: Billed) => number };
  /** Told of each call, in order. */
  readonly onCall?: (call: CallFigures) => void;
}

/** What was measured of one call. */
export interface CallFigures {
  /** Place of the recorded answer in the conversation. */
  readonly answer: number;
  /** Tokens of the view, without overhead. */
  readonly tokens: number;
  /** Tokens of the whole history, without overhead. */
  readonly history: number;
  readonly cost: number;
  readonly rewrite: boolean;
  readonly fills: Fills;
  /** What a fold did, at the call that it was made for. */
  readonly receipt?: Receipt;
  /** Literals and lines that the answer used and the view lacked, and calls that asked again for what was folded. */
  readonly missing: readonly string[];
  readonly missingLines: readonly string[];
  readonly askedAgain: readonly string[];
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
  /** Calls whose view differs from the history: the only ones that the figures from here to `demandsBehind` count. */
  readonly boundedCalls: number;
  /** Literals that the answer used and that stood in the history. */
  readonly needed: number;
  /** Of these, in the view. */
  readonly had: number;
  /** Of those that are not, behind a handle. */
  readonly behind: number;
  /** Lines that the answer's edits replaced or leaned on and that stood in the history. */
  readonly spans: number;
  /** Of these, in the view. */
  readonly spansHad: number;
  /** Of those that are not, behind a handle. */
  readonly spansBehind: number;
  /** Calls of tools that asked for what had been asked for before. */
  readonly repeats: number;
  /** Of these, calls for what the view no longer held. */
  readonly askedAgain: number;
  /** Demands of the user so far, added up over calls. */
  readonly demands: number;
  /** Of these, in the view word for word. */
  readonly demandsHad: number;
  /** Of those that are not, behind a handle. */
  readonly demandsBehind: number;
  /** Folds that the policy told of. */
  readonly folds: number;
  /** The policy's own time; 0 without a clock. */
  readonly ms: number;
  /** Calls whose view is larger than the budget; only where a budget was given. */
  readonly overBudget?: number;
  /** By the provider's cache rules; only where they were given. */
  readonly bill?: Bill;
}

/** The tokens of all requests as a provider bills them. */
export interface Bill extends Billed {
  readonly cost: number;
  /** Calls whose time is known: without it no cache expires. */
  readonly timed: number;
}

/** A conversation to replay: `times` are those of its messages, in milliseconds, where they are known. */
export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly times?: readonly (number | undefined)[];
}

/**
 * Asks a new policy for the view of every recorded call and measures it, without a model. Each assistant message but a
 * leading one is a call; its history is all before it. Rejects only with what the policy or an option throws.
 */
export async function replay(
  { messages, times = [] }: Conversation,
  makePolicy: () => Policy,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const { clock = () => 0, size = messageSize, validate = chatViolations } = options;
  const policy = makePolicy();
  const measure = createMeasure(policy, { ...options, size, validate });
  let ms = 0;
  for (const [index, answer] of messages.entries()) {
    if (answer.role !== 'assistant' || index === 0) continue;
    const history = messages.slice(0, index);
    const start = clock();
    const view = await policy.view(history);
    ms += clock() - start;
    await measure.add(history, view, answer, times[index]);
  }
  return { ...measure.result(), ms };
}
