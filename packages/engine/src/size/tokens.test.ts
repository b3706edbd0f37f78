import { describe, expect, test } from 'vitest';
import { type Calibration, calibrate, NO_LOAD, UNCALIBRATED } from './tokens.ts';

const load = (chars: number) => ({ ...NO_LOAD, chars });
/** A counter that has seen a text of 10,000 characters as 4,000 tokens, half of them outside the messages. */
const before: Calibration = calibrate(UNCALIBRATED, load(6_000), 4_000);

describe('calibration', () => {
  test('plausible changes of text move the slope', () => {
    expect(calibrate(before, load(16_000), 4_000 + 2_500).slope).toBeLessThan(0.3);
    expect(calibrate(before, load(16_000), 4_000 + 6_000).slope).toBeGreaterThan(0.5);
  });

  test.each([
    ['fewer tokens for more text', 10_000, -500],
    ['hardly a token for much text', 10_000, 500],
    ['many tokens for little text', 10_000, 20_000],
    ['more tokens for less text', -3_000, 500],
    ['tokens for no text', 0, 500],
  ])('%s moves only the fixed part', (_, chars, tokens) => {
    const after = calibrate(before, load(6_000 + chars), 4_000 + tokens);
    expect(after.slope).toBe(before.slope);
    expect(after.fixed).toBe(Math.max(0, Math.round(4_000 + tokens - before.slope * (6_000 + chars))));
  });
});
