import { expect, test } from 'vitest';
import { firstFold, tableInPage } from './first-fold.ts';

test('the worked example in docs/concepts.md is what the code does', async () => {
  const advice = 'docs/concepts.md is out of date: npm run build && npx node examples/first-fold.ts --write';
  expect(tableInPage(), advice).toBe(await firstFold());
});
