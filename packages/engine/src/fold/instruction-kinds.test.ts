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

test('without tag and heading, instructions that start differently are of different kinds', () => {
  expect(kindsOf('Command approved:\n- npm test')).toEqual(kindsOf('Command approved:\n- npm run lint'));
  expect(kindsOf('Answer in French.')).not.toEqual(kindsOf('The user is an administrator.'));
  expect(kindsOf('')).toEqual(['']);
});
