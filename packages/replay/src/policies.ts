import type { CachePrices, ConversationHistoryConfig, Fitted, Summarizer } from 'holdfast';
import { asksForSummaries, ConversationWindow, HoldfastError, STRATEGY_NAMES, type StrategyName } from 'holdfast';
import type { ChatMessage } from './chat.ts';
import { messageSize } from './cost.ts';
import type { Policy } from './replay.ts';

const SUMMARY = '+summary';

/** The policies by name: each strategy, each with summaries by a model, and sending everything. */
export const POLICIES: readonly string[] = [
  'everything',
  ...STRATEGY_NAMES,
  ...STRATEGY_NAMES.map((name) => name + SUMMARY),
];

/** What a named policy is made of. */
export interface PolicyOptions {
  /** Tokens for the messages only. */
  readonly budget: number;
  /** Tokens of overhead (system prompt, tools). Default 0. */
  readonly reserve?: number;
  /** Returns recorded summaries; if absent, the digest is used. */
  readonly summarizer?: Summarizer;
  readonly size?: (message: ChatMessage) => number;
  /** Your own configuration under this name; budget and reserve are added to it. */
  readonly config?: ConversationHistoryConfig;
  /** The model's cache prices; the window's default if absent. */
  readonly prices?: CachePrices;
}

/** True if the policy asks a model for summaries, as `two-tier` does by itself. Pure. Throws BAD_CONFIG for an unknown name. */
export function wantsSummaries(policy: string, config?: ConversationHistoryConfig): boolean {
  const own = policyConfig(policy, { budget: 1, reserve: 0, ...(config ? { config } : {}) });
  return own !== undefined && (own.summarize_on_trim ?? asksForSummaries(own.strategy ?? 'fold'));
}

/**
 * The configuration of a policy, as in `holdfast.yml`; undefined for `everything`. `fold` has no message limit here, the
 * others keep theirs. Pure. Throws BAD_CONFIG for an unknown name.
 */
export function policyConfig(
  policy: string,
  { budget, reserve = 0, config }: Pick<PolicyOptions, 'budget' | 'reserve' | 'config'>,
): ConversationHistoryConfig | undefined {
  if (config) return { ...config, max_tokens: budget + reserve, reserve };
  if (!POLICIES.includes(policy))
    throw new HoldfastError('BAD_CONFIG', `unknown policy "${policy}": use ${POLICIES.join(', ')}`, { policy });
  if (policy === 'everything') return undefined;
  const strategy = policy.replace(SUMMARY, '') as StrategyName;
  return {
    strategy,
    max_tokens: budget + reserve,
    reserve,
    ...(policy.endsWith(SUMMARY) ? { summarize_on_trim: true } : {}),
  };
}

/** A policy by name, for `replay`. It observes the size of each view, as a provider would report it. Throws BAD_CONFIG. */
export function createPolicy(name: string, options: PolicyOptions): Policy {
  const config = policyConfig(name, options);
  if (!config) return { view: (history) => history };
  const { reserve = 0, summarizer, prices, size = messageSize } = options;
  const parts = {
    dialect: 'openai-chat',
    logger: { warn: () => {} },
    ...(summarizer && { summarizer }),
    ...(prices && { prices }),
  } as const;
  const window = new ConversationWindow<ChatMessage>(config, parts);
  let fitted: Fitted<ChatMessage> | undefined;
  return {
    async view(history) {
      fitted = undefined;
      fitted = await window.fit(history);
      window.observe({ input_tokens: reserve + fitted.messages.reduce((sum, one) => sum + size(one), 0) });
      return fitted.messages;
    },
    receipt: () => fitted?.receipt,
    reminded: () => fitted?.reminder !== undefined,
    recall: async (handle) => (await window.recall(handle)).messages,
  };
}
