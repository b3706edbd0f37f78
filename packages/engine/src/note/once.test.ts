import { expect, test } from 'vitest';
import { LANGUAGES } from '../statements/languages/index.ts';
import { readerOf } from '../statements/statements.ts';
import { EMPTY_DIGEST, type Remark } from './digest.ts';
import { isSuperseded, saidOnce } from './once.ts';

const isStep = (statement: string) => readerOf(LANGUAGES).isStep(statement);
const findings = (...remarks: readonly Remark[]) => saidOnce({ ...EMPTY_DIGEST, findings: remarks }, isStep).findings;

test('what was said again in almost the same words is kept once, the newest, also if a number changed', () => {
  const old: Remark = ['The viewport shows 7% of the webpage, 6% down from the top.', 3, 0.3];
  const now: Remark = ['The viewport shows 9% of the webpage, 35% down from the top.', 9, 0.3];
  expect(findings(old, now)).toEqual([now]);
  const first: Remark = ['The request is not satisfied, as we have not identified the series.', 3, 0.3];
  const again: Remark = ['The request is not satisfied yet, as we have not determined the series.', 5, 0.3];
  const other: Remark = ['We identified three channels.', 7, 0.3];
  expect(findings(first, again, other)).toEqual([again, other]);
});

test('causes that only start alike stay, however many there are', () => {
  const said: Remark[] = [
    ['The tests fail because the parser drops a comma.', 3, 0.4],
    ['The tests fail because the clock jumps at midnight.', 5, 0.4],
    ['The tests fail because the fixture has the wrong owner.', 7, 0.4],
  ];
  expect(findings(...said)).toEqual(said);
});

test('open points that only start alike stay', () => {
  const said: Remark[] = [
    ['We still need to update the guides for beginners.', 3, 0.3],
    ['We still need to limit how often clients retry.', 5, 0.3],
    ['We still need to measure the startup on phones.', 7, 0.3],
  ];
  expect(findings(...said)).toEqual(said);
});

test('sentences that differ in a name, or in a word of their own, stay', () => {
  const said: Remark[] = [
    ['Pinning `left_pad` to an older release breaks the build of every package.', 3, 0.4],
    ['Pinning `right_pad` to an older release breaks the build of every package.', 5, 0.4],
    ['Pinning `right_pad` to an older release breaks the staging build of every package.', 4, 0.4],
  ];
  expect(findings(...said)).toEqual(said);
});

test('an announced step loses its weight once a later message announces another', () => {
  const open: Remark[] = [
    ["I'll edit the import in `core.ts`.", 3, 0.3],
    ['`core.ts` still needs a test.', 4, 0.4],
    ['Now update the callers of `core.ts`:', 5, 0.2],
    ["Next, I'll edit the import in `main.ts`.", 7, 0.3],
  ];
  expect(saidOnce({ ...EMPTY_DIGEST, open }, isStep).open.map(isSuperseded)).toEqual([true, false, true, false]);
});
