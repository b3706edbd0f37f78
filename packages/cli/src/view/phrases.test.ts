import { expect, test } from 'vitest';
import { verdictPhrase } from './phrases.ts';

test.each([
  [0, 0, ''],
  [0, 12, '12 turns dropped'],
  [1, 0, '1 turn masked'],
  [3, 7, '3 turns masked, 7 dropped'],
])('%i masked and %i dropped: %j', (masked, dropped, phrase) => {
  expect(verdictPhrase({ masked, dropped })).toBe(phrase);
});
