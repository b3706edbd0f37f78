import { calibrate, type Load } from '../size/tokens.ts';
import { promptTokensOf } from '../size/usage.ts';
import type { Core } from './core.ts';

/** No model takes a prompt this long: a report of more adds up several. */
const MOST_TOKENS = 100_000_000;

/** Calibrates the token counter with a provider's usage report for messages of this load. */
export function observeUsage<M>(core: Core<M>, usage: unknown, sent: Load): void {
  const report = promptTokensOf(usage);
  const { tokens = 0, model } = report ?? {};
  if (report === undefined) core.warn('observe(): no prompt tokens: pass the usage object of a response');
  else if (tokens > MOST_TOKENS) core.warn(`observe(): ignored ${tokens} tokens, too many for one prompt`);
  if (report === undefined || tokens > MOST_TOKENS) return;
  const { model: before } = core.calibration;
  if (model !== undefined && before !== undefined && model !== before) core.emit({ type: 'calibration-reset', model });
  const { max_tokens: max } = core.config;
  core.calibration = calibrate(core.calibration, sent, tokens, model, max);
  const { fixed = 0, doubted } = core.calibration;
  if (doubted)
    core.warn(`observe(): ${tokens} tokens contradict the messages by far: they count once another report agrees`);
  if (fixed >= max)
    core.warn(
      `observe(): ${fixed} of ${tokens} tokens are outside the messages, which leaves no room within max_tokens (${max}): raise it`,
    );
}
