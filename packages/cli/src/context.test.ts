import { expect, test } from 'vitest';
import { wantsColour } from './context.ts';

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: 'dumb' }, true, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: '3', NO_COLOR: '1' }, false, true],
])('%j, a terminal: %s', (env, terminal, wanted) => {
  expect(wantsColour(env, terminal)).toBe(wanted);
});
