import { asksForSummaries, type ConversationHistoryConfig, idleKeys } from 'holdfast';
import type { HoldfastConfig } from './config.ts';

/** A key that is set but has no effect. */
interface Idle {
  /** Completes the phrase "no effect …". */
  readonly why: string;
  readonly advice: string;
}

type Key = keyof ConversationHistoryConfig;

const OF_SUMMARIES: readonly Key[] = ['summarization_model', 'summary_max_tokens', 'summary_timeout_ms'];

/** Conversation keys that the other keys leave without effect. Pure. */
export function keysWithoutEffect(conversation: ConversationHistoryConfig): ReadonlyMap<Key, Idle> {
  const { strategy = 'fold', max_messages, summarize_on_trim } = conversation;
  const names = [strategy].flat().map((one) => (typeof one === 'string' ? one : one.name));
  const idle = new Map<Key, Idle>();
  for (const [key, owner] of idleKeys(strategy, conversation))
    idle.set(key as Key, { why: `with strategy ${names.join(', ')}`, advice: `remove it, or set strategy: ${owner}` });
  if (max_messages !== undefined && !idle.has('max_history_messages'))
    idle.set('max_history_messages', { why: 'next to max_messages', advice: 'remove one of them' });
  for (const key of OF_SUMMARIES)
    if (!(summarize_on_trim ?? asksForSummaries(strategy)))
      idle.set(key, { why: 'without summaries', advice: 'remove it, or set summarize_on_trim: true' });
  return new Map([...idle].filter(([key]) => conversation[key] !== undefined));
}

/** The configuration without those keys, so that the window does not repeat the warning. Pure. */
export function withoutIdleKeys(config: HoldfastConfig): HoldfastConfig {
  const idle = keysWithoutEffect(config.execution.conversation);
  const used = Object.entries(config.execution.conversation).filter(([key]) => !idle.has(key as Key));
  return { ...config, execution: { ...config.execution, conversation: Object.fromEntries(used) } };
}
