import type { CacheRules } from '@holdfast/models';
import type { CachePrices, Receipt } from 'holdfast';
import { isHoldfastError } from 'holdfast';
import type { Billed } from './cache.ts';
import type { ChatMessage } from './chat.ts';
import { messageSize } from './cost.ts';
import type { Fills } from './fills.ts';
import { createMeasure } from './measure.ts';
import { chatViolations } from './validity.ts';

/** Decides which messages are sent. It sees the whole history before each call and must not change it. */
export interface Policy {
  view(history: readonly ChatMessage[]): readonly ChatMessage[] | Promise<readonly ChatMessage[]>;
  /** What the fold of the last view did, if it was one. */
  receipt?(): Receipt | undefined;
  /** True if a reminder was added to the last view. */
  reminded?(): boolean;
  /** The original messages behind a handle in its views, such as `m41`, if the policy has handles. May reject. */
  recall?(handle: string): readonly ChatMessage[] | Promise<readonly ChatMessage[]>;
}

/** How to measure. Every field has the default that the published figures use. */
export interface ReplayOptions {
  /** 0.1 and 1.25 times the base input price. */
  readonly prices?: CachePrices;
  /** Tokens before the messages, always cached: 10,000. */
  readonly overhead?: number;
  /** Tokens of a message: ceil(characters / 3) + 4. */
  readonly size?: (message: ChatMessage) => number;
  /** The most tokens in the messages of a view, without overhead; views above it are counted. */
  readonly budget?: number;
  /** What makes a request invalid: the pairing rules of OpenAI chat. */
  readonly validate?: (messages: readonly ChatMessage[]) => readonly unknown[];
  /** Milliseconds, to measure the policy's time. */
  readonly clock?: () => number;
  /** Also bills each call by a provider's own rules; `price` returns what a prompt costs, in any unit. */
  readonly billing?: { readonly rules: CacheRules; readonly price: (billed: Billed) => number };
  /** Called for each call, in order. */
  readonly onCall?: (call: CallFigures) => void;
}

/** The figures of one call. */
export interface CallFigures {
  /** Index of the recorded answer in the conversation. */
  readonly answer: number;
  /** Tokens of the view, without overhead. */
  readonly tokens: number;
  /** Tokens of the whole history, without overhead. */
  readonly history: number;
  readonly cost: number;
  readonly rewrite: boolean;
  readonly fills: Fills;
  /** What the fold did, if there was one before this call. */
  readonly receipt?: Receipt;
  /** Literals and lines that the answer used and the view lacked, and calls that repeated a folded request. */
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
  /** Calls for which the policy threw OVER_BUDGET: they send the whole history. */
  readonly refused: number;
  /** Calls whose view differs from the history: only these count in the figures from here to `askedAgain`. */
  readonly boundedCalls: number;
  /** Literals that the answer used and the history contains. */
  readonly needed: number;
  /** Of these, in the view. */
  readonly had: number;
  /** Lines that the answer's edits replaced or needed and the history contains. */
  readonly spans: number;
  /** Of these, in the view. */
  readonly spansHad: number;
  /** Of the others, those to which the view points: it names the file next to a handle that brings the line back. */
  readonly pointed: number;
  /** Tool calls that repeated an earlier request. */
  readonly repeats: number;
  /** Of these, requests whose result the view no longer contained. */
  readonly askedAgain: number;
  /** Folds that the policy reported. */
  readonly folds: number;
  /** Calls to which the policy added a reminder of folded lines. */
  readonly reminders: number;
  /** The policy's own time; 0 without a clock. */
  readonly ms: number;
  /** Calls whose view exceeds the budget; only if a budget was given. */
  readonly overBudget?: number;
  /** By the provider's cache rules; only if they were given. */
  readonly bill?: Bill;
}

/** The tokens of all requests as a provider bills them. */
export interface Bill extends Billed {
  readonly cost: number;
  /** Calls whose time is known; without it, no cache expires. */
  readonly timed: number;
}

/** A conversation to replay; `times` are when its messages were sent, in milliseconds, if known. */
export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly times?: readonly (number | undefined)[];
}

/**
 * Asks a new policy for the view of every recorded call and measures it, without a model. Each assistant message except a
 * leading one is a call; its history is everything before it. A policy that throws OVER_BUDGET sends everything. Rejects only
 * with what else the policy or an option throws.
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
    const view = await viewOrRefusal(policy, history);
    ms += clock() - start;
    if (!view) measure.refuse();
    await measure.add(history, view ?? history, answer, times[index]);
  }
  return { ...measure.result(), ms };
}

/** The view, or undefined if it does not fit the policy's budget. */
export async function viewOrRefusal(
  policy: Policy,
  history: readonly ChatMessage[],
): Promise<readonly ChatMessage[] | undefined> {
  try {
    return await policy.view(history);
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'OVER_BUDGET') return undefined;
    throw error;
  }
}
