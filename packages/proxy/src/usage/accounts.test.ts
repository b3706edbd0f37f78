import { expect, test } from 'vitest';
import { createAccounts, type Spent } from './accounts.ts';

const usage = (read: number, written: number) => ({
  input_tokens: 0,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: written,
  output_tokens: 0,
});
const spent = (more: Partial<Spent>): Spent => ({
  ...{ conversation: 'a', model: 'unknown-model', usage: usage(0, 1_000), isWhole: true, history: 1_000 },
  ...more,
});

test('costs count in dollars where the price is known, and in units elsewhere', () => {
  const accounts = createAccounts();
  accounts.add(spent({}));
  accounts.add(spent({ model: 'claude-opus-5' }));
  const { dollars, units, tokens, requests } = accounts.totals();
  expect(dollars).toEqual({ proxied: 0.00625, direct: 0.00625 });
  expect(units).toEqual({ proxied: 1_250, direct: 1_250 });
  expect([requests, tokens.cacheWrite]).toEqual([2, 2_000]);
});

test('directly, what was sent before would be read and what is new written', () => {
  const accounts = createAccounts();
  accounts.add(spent({ usage: usage(0, 10_000), history: 10_000 }));
  const charge = accounts.add(spent({ usage: usage(500, 1_500), isWhole: false, history: 11_000, folds: 1 }));
  expect(charge?.costs).toEqual({ proxied: 1_925, direct: 2_250 });
  expect(accounts.conversations()).toEqual([
    {
      ...{ conversation: 'a', model: 'unknown-model', requests: 2, folds: 1, prompt: 2_000, history: 11_000 },
      ...{ costs: { proxied: 14_425, direct: 14_750 }, currency: 'units' },
    },
  ]);
});

test('unknown costs claim no savings', () => {
  const accounts = createAccounts();
  // Continued after a restart: the history may be in the cache.
  const resumed = accounts.add(spent({ usage: usage(0, 1_000), isWhole: false, history: 50_000 }));
  expect(resumed?.costs).toEqual({ proxied: 1_250, direct: 5_000 });
  const other = accounts.add(spent({ model: 'other', isWhole: false, history: 50_000 }));
  // Another model's cache has none of it.
  expect(other?.costs).toEqual({ proxied: 1_250, direct: 62_500 });
  const unsized = accounts.add(spent({ conversation: 'b', isWhole: false, history: undefined }));
  expect(unsized?.costs).toEqual({ proxied: 1_250, direct: 1_250 });
  expect(accounts.add(spent({ usage: undefined }))).toBeUndefined();
});

test('conversations used longest ago leave the list, but not the totals', () => {
  const accounts = createAccounts(2);
  for (const conversation of ['a', 'b', 'a', 'c']) accounts.add(spent({ conversation }));
  expect(accounts.conversations().map(({ conversation }) => conversation)).toEqual(['c', 'a']);
  expect(accounts.totals().requests).toBe(4);
});
