import type { ConversationHistoryConfig } from '../config.ts';
import { HoldfastError, isHoldfastError } from '../errors.ts';
import type { Receipt } from '../fold/receipt.ts';
import type { StrategyName } from '../strategy.ts';
import type { Summarizer } from '../summaries/summaries.ts';
import type { CachePrices } from '../window/parts.ts';
import { ConversationWindow } from '../window.ts';
import type { ChatMessage } from './chat.ts';
import { messageSize } from './cost.ts';
import type { Policy } from './replay.ts';

const SUMMARY = '+summary';
const STRATEGIES: readonly StrategyName[] = ['fold', 'sliding', 'governed', 'two-tier', 'rolling'];

/** The policies that can be named: each strategy, each with summaries by a model, and sending everything. */
export const POLICIES: readonly string[] = ['everything', ...STRATEGIES, ...STRATEGIES.map((name) => name + SUMMARY)];

/** What a policy by name is made of. */
export interface PolicyOptions {
  /** Tokens for the messages alone. */
  readonly budget: number;
  /** Tokens beside the messages. */
  readonly reserve: number;
  /** Gives recorded summaries; without one the digest stands in. */
  readonly summarizer?: Summarizer;
  readonly size?: (message: ChatMessage) => number;
  /** A configuration of one's own under this name, into which budget and reserve are put. */
  readonly config?: ConversationHistoryConfig;
  /** What the cache of the model costs; the window's default where it is not said. */
  readonly prices?: CachePrices;
}

/** True if the policy asks a model for summaries, as `two-tier` does by itself. Pure. */
export function wantsSummaries(policy: string, config?: ConversationHistoryConfig): boolean {
  if (config) return config.summarize_on_trim ?? [config.strategy].flat().includes('two-tier');
  return policy.endsWith(SUMMARY) || policy === 'two-tier';
}

/**
 * The configuration that a policy stands for, as `holdfast.yml` has it; undefined for `everything`. `fold` has no limit of
 * messages here, the others keep their own. Pure. Throws BAD_CONFIG for an unknown name.
 */
export function policyConfig(
  policy: string,
  { budget, reserve, config }: Pick<PolicyOptions, 'budget' | 'reserve' | 'config'>,
): ConversationHistoryConfig | undefined {
  if (config) return { ...config, max_tokens: budget + reserve, reserve };
  if (!POLICIES.includes(policy))
    throw new HoldfastError('BAD_CONFIG', `policy ${policy} is unknown: give ${POLICIES.join(', ')}`, { policy });
  if (policy === 'everything') return undefined;
  const strategy = policy.replace(SUMMARY, '') as StrategyName;
  return {
    strategy,
    max_tokens: budget + reserve,
    reserve,
    ...(strategy === 'fold' ? { max_messages: 0 } : {}),
    ...(policy.endsWith(SUMMARY) ? { summarize_on_trim: true } : {}),
  };
}

/**
 * A policy by name, for `replay`. It is told the size of each view as a provider would tell it. What has no room is sent
 * whole, so that it counts as over budget.
 */
export function createPolicy(name: string, options: PolicyOptions): Policy {
  const config = policyConfig(name, options);
  if (!config) return { view: (history) => history };
  const { reserve, summarizer, prices, size = messageSize } = options;
  const quiet = { warn: () => {} };
  const parts = {
    dialect: 'openai-chat',
    logger: quiet,
    ...(summarizer && { summarizer }),
    ...(prices && { prices }),
  } as const;
  const window = new ConversationWindow<ChatMessage>(config, parts);
  let receipt: Receipt | undefined;
  return {
    async view(history) {
      receipt = undefined;
      try {
        const fitted = await window.fit(history);
        receipt = fitted.receipt;
        window.observe({ input_tokens: reserve + fitted.messages.reduce((sum, one) => sum + size(one), 0) });
        return fitted.messages;
      } catch (error) {
        if (isHoldfastError(error) && error.code === 'OVER_BUDGET') return history;
        throw error;
      }
    },
    receipt: () => receipt,
    recall: async (place) => (await window.recall(`m${place}`)).messages,
  };
}
