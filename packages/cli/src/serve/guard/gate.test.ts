import { expect, test } from 'vitest';
import { createGate } from './gate.ts';

test('lets exactly the limit pass under constant overload', () => {
  let time = 0;
  const gate = createGate({ token: 'x', anyHost: false, rate: 60, now: () => time });
  const caller = { address: '10.0.0.1', header: () => undefined };
  const passes = () => {
    try {
      gate.rate(caller);
      return 1;
    } catch {
      return 0;
    }
  };
  let passed = 0;
  // 25 requests a second for ten minutes, where one a second may pass and 60 are there at first.
  for (; time < 600_000; time += 40) passed += passes();
  expect(passed).toBeGreaterThanOrEqual(655);
  expect(passed).toBeLessThanOrEqual(660);
});
