import { expect, test } from 'vitest';
import { kindsOf } from './instruction-kinds.ts';

test('instructions that open with the same tag or heading are of one kind, whatever their attributes and numbers', () => {
  expect(kindsOf('<mode name="plan">Plan first.</mode>')).toEqual(kindsOf('\n<mode name=build>\nBuild.'));
  expect(kindsOf('<file access>Read all.</file access>')).not.toEqual(kindsOf('<file limits>Ten.</file limits>'));
  expect(kindsOf('## Tools ##\nUse them.')).toEqual(kindsOf('# Tools\nDo not use them.'));
  expect(kindsOf('# Step 3 of 9\nGo on.')).toEqual(kindsOf('# Step 4 of 9\nStop.'));
});

test('an instruction of several blocks is of all their kinds', () => {
  const [mode, limits, ...more] = kindsOf('<mode>Plan.</mode>\n\n<limits>\nTen files.\n</limits>\nThe end.');
  expect([mode, limits]).toEqual(['<mode>', '<limits>']);
  expect(more).toEqual([]);
});

test('a bold line, or a line that ends with a colon, is a heading', () => {
  expect(kindsOf('Command approved:\n- npm test')).toEqual(kindsOf('**Command approved**\n- npm run lint'));
  expect(kindsOf('Command approved:\n- npm test')).not.toEqual(kindsOf('Command refused:\n- npm test'));
});

test('instructions without tag and heading are one kind, so that remarks of any text cannot fill the budget', () => {
  expect(kindsOf('Answer in French.')).toEqual(kindsOf('src/a.ts was changed by the user'));
  expect(kindsOf('Answer in French.')).not.toEqual(kindsOf('# Language\nFrench.'));
  expect(kindsOf('')).toEqual(kindsOf('Answer in French.'));
});
