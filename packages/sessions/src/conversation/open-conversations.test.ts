import { expect, test } from 'vitest';
import { sqlite } from '../index.ts';
import { openConversations } from './open-conversations.ts';

test('a key in camelCase is refused with its right spelling, before anything is opened', async () => {
  const store = await sqlite(':memory:');
  const wrong = { store, dialect: 'anthropic', maxTokens: 20_000 } as const;
  expect(() => openConversations(wrong)).toThrow('maxTokens is not a configuration key: expected max_tokens');
  await store.close();
});
