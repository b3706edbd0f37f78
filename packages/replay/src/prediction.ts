import type { Reading } from 'holdfast';
import { addLoads, type Calibration, calibrate, loadOf, NO_LOAD, tokensOf, UNCALIBRATED } from 'holdfast/counter';
import type { ChatMessage } from './chat.ts';

/** The provider's token count for the prompt of a recorded answer. */
export interface RecordedPrompt {
  /** Index of the answer; its prompt was everything before it. */
  readonly answer: number;
  readonly tokens: number;
}

/** How far a prediction was from the provider's count. */
export interface PredictionError {
  readonly answer: number;
  readonly predicted: number;
  readonly recorded: number;
  /** |predicted − recorded| / recorded. */
  readonly error: number;
}

/**
 * What the counter of `fit()` predicts for each recorded prompt, from the prompts before it only. Pure. The first `skip`
 * calls only train it.
 */
export function predictPrompts(
  messages: readonly ChatMessage[],
  prompts: readonly RecordedPrompt[],
  skip = 5,
): PredictionError[] {
  const found: PredictionError[] = [];
  let load = NO_LOAD;
  let read = 0;
  let calibration: Calibration = UNCALIBRATED;
  for (const [call, { answer, tokens }] of prompts.entries()) {
    load = addLoads(load, [{ load: loadOf(messages.slice(read, answer).map(reading)) }]);
    read = Math.max(read, answer);
    if (call >= skip) {
      const predicted = (calibration.fixed ?? 0) + tokensOf(load, calibration);
      found.push({ answer, predicted, recorded: tokens, error: Math.abs(predicted - tokens) / tokens });
    }
    calibration = calibrate(calibration, load, tokens);
  }
  return found;
}

/** The median error; undefined if there are none. Pure. */
export function medianError(errors: readonly PredictionError[]): number | undefined {
  const sorted = errors.map(({ error }) => error).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 || low === undefined || high === undefined ? high : (low + high) / 2;
}

function reading({ content, tool_calls: calls = [] }: ChatMessage): Reading {
  const chars = calls.reduce((sum, { function: call }) => sum + call.name.length + call.arguments.length, 0);
  return {
    role: 'user',
    chars: (content?.length ?? 0) + chars,
    media: 0,
    calls: [],
    results: [],
    words: true,
    thinking: false,
    markers: 0,
    joined: false,
    firm: false,
  };
}
