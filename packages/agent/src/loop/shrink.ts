import type { Conversation } from '@holdfast/sessions';
import type { ConversationHistoryConfig } from 'holdfast';
import type { Overflow } from './overflow.ts';

export type LimitedConfig = ConversationHistoryConfig & { readonly limit: number };

/** Makes the next view fit, from what the API said about the last one. */
export function shrink<M>(conversation: Conversation<M>, config: LimitedConfig, overflow: Overflow): void {
  const limit = smaller(overflow, conversation.viewSize.tokens, conversation.budget.limit);
  if (overflow.size !== undefined) conversation.counted(overflow.size);
  conversation.resize(within(config, limit), overflow.limit === undefined ? undefined : limit);
}

/** The bounds within a limit. The engine names the parts of what is too large, so `reserve` must leave room for messages. */
export function within({ limit: known, max_tokens: wanted, reserve = 0 }: LimitedConfig, limit: number) {
  const least = Math.min(known, limit);
  const max_tokens = Math.min(wanted || least, least);
  return { limit: least, max_tokens, reserve: Math.min(reserve, max_tokens - 1) };
}

/** Margins for what both sides count differently: where the API gave its own figures, and where it did not. */
const WITH_FIGURES = 0.98;
const WITHOUT_FIGURES = 0.75;

/** The limit that makes the next view fit. `estimate` is the estimated size of the last one. */
function smaller({ size, limit }: Overflow, estimate: number, before: number): number {
  const isNamed = limit !== undefined && (size !== undefined || estimate > limit);
  const next = isNamed ? limit * WITH_FIGURES : Math.min(estimate, before) * WITHOUT_FIGURES;
  return Math.max(2, Math.floor(Math.min(next, before)));
}
