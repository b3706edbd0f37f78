import type { ContextGauge } from '@holdfast/agent/run';
import { counted, tokensOf } from './amounts.ts';
import type { Style } from './style.ts';

/** How full the tighter limit is, undefined without limits; and both sizes, first the one that this limits. Pure. */
export function gaugeOf({ messages, maxMessages, tokens, maxTokens, estimated }: ContextGauge): {
  readonly share: number | undefined;
  readonly figures: readonly string[];
} {
  const [byMessages, byTokens] = [shareOf(messages, maxMessages), shareOf(tokens, maxTokens)];
  const isByTokens = maxMessages === 0 ? maxTokens > 0 : byTokens > byMessages;
  // Only one limit: two of them would leave open which one the bar shows.
  const ofTokens = `${tokensOf(tokens, isByTokens ? maxTokens : 0, estimated)} tokens`;
  const ofMessages =
    isByTokens || maxMessages === 0 ? counted(messages, 'message') : `${messages}/${maxMessages} messages`;
  return {
    share: maxMessages > 0 || maxTokens > 0 ? Math.max(byMessages, byTokens) : undefined,
    figures: isByTokens ? [ofTokens, ofMessages] : [ofMessages, ofTokens],
  };
}

function shareOf(count: number, max: number): number {
  return max > 0 ? count / max : 0;
}

/** A bar of `columns`, filled by a share. Pure. */
export function gaugeBar(share: number, columns: number, { colours, marks }: Style): string {
  const full = Math.min(columns, Math.max(share > 0 ? 1 : 0, Math.round(share * columns)));
  const paint = share >= 0.95 ? colours.red : share >= 0.8 ? colours.yellow : colours.green;
  return paint(marks.full.repeat(full)) + colours.dim(marks.empty.repeat(columns - full));
}
