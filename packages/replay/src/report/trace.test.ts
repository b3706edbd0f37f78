import { expect, test } from 'vitest';
import { traceOf } from './trace.ts';

const CALL = {
  answer: 3,
  tokens: 10,
  history: 20,
  cost: 1,
  rewrite: false,
  fills: { system: 0, user: 10, assistant: 0, results: 0, masked: 0, note: 0, reminders: 0 },
  missing: [],
  missingLines: [],
  askedAgain: [],
};

test('masks keys in traces, however long the text around them', () => {
  const key = `sk-ant-api03-${'a1B2'.repeat(12)}`;
  const padded = `${'x'.repeat(100)} ${key}`;
  const trace = traceOf({ ...CALL, missing: [key], missingLines: [padded], askedAgain: [`run {"key":"${key}"}`] });
  expect(trace.lacked).toBe(2);
  expect(JSON.stringify(trace)).not.toContain(key.slice(0, 20));
});

test('limits what it shows', () => {
  const trace = traceOf({ ...CALL, missing: Array.from({ length: 50 }, (_, n) => `${n}`.repeat(500)) });
  expect(trace.lacked).toBe(50);
  expect(trace.missing).toHaveLength(6);
  for (const text of trace.missing) expect(text.length).toBeLessThanOrEqual(120);
});
