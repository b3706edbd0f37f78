import { STAND_IN_MODELS } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import { modelInfo } from './model-info.ts';
import { MODELS, MODELS_DATE } from './table.ts';

test.each([
  ['claude-sonnet-5-5', 'claude-sonnet-5-5'],
  ['claude-sonnet-5-5-20260901', 'claude-sonnet-5-5'],
  ['claude-sonnet-5-20260310', 'claude-sonnet-5'],
  ['claude-opus-4-5@20251101', 'claude-opus-4-5'],
  ['gpt-5.2-2025-12-11', 'gpt-5.2'],
  ['anthropic/claude-opus-5.5', 'claude-opus-5-5'],
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
  ['openai/gpt-6-sol', 'gpt-6-sol'],
])('%s is %s', (id, listed) => {
  const { id: asked, known, listedAs = asked, window, prices } = modelInfo(id);
  expect({ asked, known, listedAs, window, prices }).toEqual({
    asked: id,
    known: true,
    listedAs: listed,
    window: MODELS[listed]?.window,
    prices: MODELS[listed]?.prices,
  });
});

test.each([
  'claude-sonnet-5-7',
  'claude-sonnet-5-5-fast',
  'claude-sonnet-6',
  'claude-opus-4-20250514',
  'claude-opus',
  'gpt-5.2-pro',
  'gpt-5',
  'gpt-6-sol-mini',
  'my-claude-opus-5-5',
  'constructor',
  '',
])('%s is an unknown model, not a version of a known one', (id) => {
  const found = modelInfo(id);
  expect(found.known).toBe(false);
  expect(found.prices).toBeUndefined();
  expect(found.listedAs).toBeUndefined();
  expect(found.unverified).toEqual(['window', 'max_output', 'thinking', 'cache']);
  expect(found.thinking).toBe('bound');
});

test('sonnet 5.5 is not sonnet 5: its thinking is bound', () => {
  expect(modelInfo('claude-sonnet-5-5-20260901').thinking).toBe('bound');
  expect(modelInfo('claude-sonnet-5-20260901').thinking).toBe('free');
});

test('the table has a date, and values that sources disagree on are marked', () => {
  expect(MODELS_DATE).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(modelInfo('claude-opus-5-5').unverified).toBeUndefined();
  expect(modelInfo('gpt-6-astra').unverified).toEqual(['window']);
  expect(modelInfo('anthropic/claude-opus-5.5').unverified).toEqual(['prices']);
});

test('a user’s values override the table and count as verified', () => {
  const overrides = { 'gpt-6-sol': { window: 922_000 }, 'claude-opus-5-5': { cache: { minimum: 1_024 } } };
  expect(modelInfo('gpt-6-sol-2026-09-01', overrides)).toMatchObject({ window: 922_000, max_output: 128_000 });
  expect(modelInfo('gpt-6-sol', overrides).unverified).toBeUndefined();
  expect(modelInfo('claude-opus-5-5', overrides).cache).toEqual({ minimum: 1_024, lookback: 20 });
  expect(MODELS['claude-opus-5-5']?.cache.minimum).toBe(512);
});

test.each([
  ['claude-opus-6', true],
  ['claude-haiku-4-9-20270101', true],
  ['us.anthropic.claude-zeta-7-20270101-v1:0', true],
  ['claude-next', true],
  ['claude-opus-4-1', false],
  ['claude-sonnet-4@20250514', false],
  ['claude-3-7-sonnet-20250219', false],
  ['some-model', undefined],
])('how %s thinks is guessed from its generation', (id, adaptive) => {
  expect(modelInfo(id)).toMatchObject({ known: false, thinking: 'bound' });
  expect(modelInfo(id).adaptive_thinking).toBe(adaptive);
});

test('an unknown model becomes known once the user sets its window', () => {
  const overrides = { 'local-coder': { window: 32_768, max_output: 4_096, thinking: 'none' } } as const;
  const found = modelInfo('local-coder', overrides);
  expect(found).toMatchObject({ known: true, window: 32_768, max_output: 4_096, thinking: 'none' });
  expect(found.unverified).toEqual(['cache']);
  expect(modelInfo('local-coder', { 'local-coder': { thinking: 'none' } }).known).toBe(false);
});

const OURS = Object.entries(STAND_IN_MODELS).filter(([, model]) => model.api !== 'openai' || !model.vendor);

test.each(OURS)('%s of the stand-in is in the table, with the same values', (id, model) => {
  const listed = MODELS[id];
  const provider = model.api === 'gemini' ? 'google' : model.api;
  expect(listed).toMatchObject({ provider, max_output: model.max_output });
  // Where sources differ the table has the smaller window.
  expect(listed?.window).toBeLessThanOrEqual(model.window);
  if (model.api !== 'openai') expect(listed?.cache.minimum).toBe(model.cache_minimum);
  if (model.api === 'anthropic') {
    expect(listed?.thinking).toBe(model.binding === 'never' ? 'free' : 'bound');
    expect(listed?.adaptive_thinking).toBe(model.thinking !== 'enabled');
  }
});
