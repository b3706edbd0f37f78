import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@holdfast/sessions';
import type { AnthropicMessage } from 'holdfast/rules';
import { expect, test } from 'vitest';
import { boundedLoop, costOfFolding, durableLoop, ownStrategy, recalled, summarizing } from './five-uses.ts';
import { generateConversation } from './generate.ts';

const turns = (count: number): AnthropicMessage[] =>
  Array.from({ length: count }, (_, i): AnthropicMessage[] => [
    { role: 'user', content: `Question ${i}?` },
    { role: 'assistant', content: `Answer ${i}: ${'a long one, '.repeat(200)}` },
  ]).flat();

test('a bounded loop sends less than it keeps', async () => {
  const sizes: number[] = [];
  const history = await boundedLoop(
    Array.from({ length: 60 }, (_, i) => `Question ${i}? ${'word '.repeat(300)}`),
    async (messages) => {
      sizes.push(JSON.stringify(messages).length);
      return {
        message: { role: 'assistant', content: 'Yes. '.repeat(200) },
        usage: { input_tokens: Math.ceil(JSON.stringify(messages).length / 3) },
      };
    },
  );
  expect(history).toHaveLength(120);
  expect(Math.max(...sizes)).toBeLessThan(JSON.stringify(history).length / 2);
});

test('a durable loop continues with what another one stored', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'five-uses-'));
  try {
    const seen: number[] = [];
    for (let i = 0; i < 2; i++) {
      const store = await sqlite(join(folder, 'sessions.db'));
      const answer = await durableLoop(store, 'talk', `Question ${i}?`, async (messages) => {
        seen.push(messages.length);
        return { message: { role: 'assistant', content: `Answer ${i}.` }, usage: { input_tokens: 100 } };
      });
      expect(answer).toBe(`Answer ${i}.`);
      await store.close();
    }
    expect(seen).toEqual([1, 3]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an own strategy and a summarizer fold, and a handle brings the words back', async () => {
  const history = [...turns(40), { role: 'user', content: 'And now?' }];
  const window = ownStrategy();
  expect((await window.fit(history)).receipt?.strategy).toBe('small');
  expect(await recalled(window, 'm3')).toContain('Answer 1: ');
  const { receipt } = await summarizing(async () => 'The user asked many questions, and all were answered.').fit(
    history,
  );
  expect(receipt?.summary).toContain('many questions');
});

test('a replay says what folding costs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'five-uses-'));
  try {
    const file = join(folder, 'log.jsonl');
    const recorded = generateConversation({ seed: 3, messages: 400, dialect: 'openai-chat' });
    writeFileSync(file, recorded.map((message) => JSON.stringify(message)).join('\n'));
    expect(await costOfFolding(file)).toBeLessThan(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
