import { expect, test } from 'vitest';
import { guarded } from './errors.ts';

test('a full disk is named as such, with what to do', () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  const append = () => {
    throw full;
  };
  expect(() => guarded('/home/a/sessions.db', append)).toThrow(
    'the disk with /home/a/sessions.db is full: nothing was changed, free some space and try again',
  );
});
