import { answerRoom, boundedConfig, type DefaultBudget, defaultBudget, modelInfo } from '@holdfast/models';
import { providerOf } from '../providers/index.ts';
import type { HoldfastConfig } from './config.ts';

type Budgeted = Pick<HoldfastConfig, 'provider' | 'execution' | 'models'>;

/**
 * The token budget of a conversation with the configured model, before the system prompt is known, and why it is this one.
 * Undefined if the provider keeps its own conversation. Pure.
 */
export function tokenBudget({ provider, execution: { conversation }, models }: Budgeted): DefaultBudget | undefined {
  const id = provider.model ?? providerOf(provider.type)?.defaultModel;
  if (id === undefined) return undefined;
  const model = modelInfo(id, models);
  const answer = answerRoom(model, provider.max_output);
  const { max_tokens = 0, limit } = boundedConfig(conversation, model, { answer });
  if (max_tokens === 0 || max_tokens > limit)
    return { tokens: limit, why: `what the window of ${id} has room for besides an answer of ${answer} tokens` };
  if (conversation.max_tokens !== undefined) return { tokens: max_tokens, why: 'as configured' };
  return defaultBudget(model, { answer });
}
