import { readFileSync } from 'node:fs';
import { MODELS, MODELS_DATE } from '@holdfast/models';
import { createStandIn, STAND_IN_MODELS } from '@holdfast/stand-in';
import { expect, test, vi } from 'vitest';
import { account, announcedWindow, budgetOf, fromFile, lookUp } from './models.ts';

test('overrides win over the table, and an unknown model causes a warning', () => {
  expect(lookUp('gpt-6-sol-2026-09-01')).toMatchObject({ window: 922_000, max_output: 128_000 });
  expect(lookUp('qwen-coder-local')).toMatchObject({ known: true, max_output: 4_096 });
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  expect(lookUp('somebody-elses').known).toBe(false);
  expect(warn).toHaveBeenCalledWith('somebody-elses is unknown: guessing a window of 128000 tokens');
  warn.mockRestore();
  expect(() => fromFile('{"gpt-6-sol":{"window":"1M"}}')).toThrow('models.json["gpt-6-sol"].window');
});

test('a window reported by the server is used, and an unreachable server is not an error', async () => {
  const { 'claude-opus-5-5': opus } = STAND_IN_MODELS;
  if (!opus) throw new Error('the stand-in should have this model');
  const server = await createStandIn({ models: { 'claude-opus-5-5': { ...opus, announced: 400_000 } } });
  expect(await announcedWindow(server.url, 'key', 'claude-opus-5-5')).toBe(400_000);
  await server.close();
  expect(await announcedWindow(server.url, 'key', 'claude-opus-5-5')).toBe(1_000_000);
});

test('the default budget says what it is and why', () => {
  expect(budgetOf('claude-opus-5-5')).toBe('50000 tokens: the default at the prices of claude-opus-5-5');
});

test('the ledger adds up two requests', () => {
  const { first, cost, cacheShare, everything } = account();
  expect(first).toBeCloseTo(0.11, 10); // 20,000 written at 5, 500 answered at 20
  expect(cost).toBeCloseTo(0.11 + 0.019, 10); // then 20,000 read at 0.20, 1,000 written at 5, 500 answered at 20
  expect(cacheShare).toBeCloseTo(20_000 / 41_000, 10);
  expect(everything?.cost).toBeCloseTo(0.11 + 0.364, 10); // then 20,000 read, 70,000 written, 500 answered
});

test('the page lists exactly the models with unverified fields', () => {
  const page = readFileSync(new URL('../docs/models.md', import.meta.url), 'utf8');
  const section = page.split('## What is not verified')[1] ?? '';
  const named = [...section.matchAll(/^\| (.*?) \| (.*?) \|/gm)].flatMap(([, models = '', fields = '']) =>
    ticked(models).flatMap((model) => ticked(fields).map((field) => `${model} ${field}`)),
  );
  const doubts = Object.values(MODELS).flatMap(({ id, unverified = [] }) =>
    unverified.map((field) => `${id} ${field}`),
  );
  expect(named.sort()).toEqual(doubts.sort());
  expect(page).toContain(MODELS_DATE);
});

function ticked(text: string): string[] {
  return [...text.matchAll(/`(.+?)`/g)].map(([, word = '']) => word);
}
