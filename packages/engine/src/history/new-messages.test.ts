import { describe, expect, test } from 'vitest';
import { anthropicWindow, assistant, refused, system, user } from '../../test/anthropic-calls.ts';
import type { Wire } from '../../test/histories.ts';

describe('checks messages that arrive one by one against their neighbours', () => {
  test.each([
    ['a system message after the assistant', [user('a'), assistant('b')], [system('s')], 'misplaced-system'],
    ['an empty answer that is no longer the last', [user('a'), assistant('')], [user('c')], 'empty-message'],
    ['an answer that ends with a space', [user('a')], [assistant('x ')], 'trailing-whitespace'],
    ['nothing at all', [user('a')], [null as unknown as Wire], 'bad-message'],
  ])('%s', async (_, first, more, rule) => {
    const window = anthropicWindow({});
    await window.fit(first);
    expect(await refused(window.fit([...first, ...more]))).toMatchObject({
      code: 'INVALID_HISTORY',
      details: { rule },
    });
    expect(await refused(anthropicWindow({}).fit([...first, ...more]))).toMatchObject({ code: 'INVALID_HISTORY' });
  });

  test('refuses a history that is not a list', async () => {
    expect(await refused(anthropicWindow({}).fit(undefined as unknown as Wire[]))).toMatchObject({
      code: 'INVALID_HISTORY',
    });
  });
});
