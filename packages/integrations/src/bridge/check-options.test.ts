import { expect, test } from 'vitest';
import { checkOptions } from './check-options.ts';

test('an option in camelCase is refused with its right spelling', () => {
  const wrong = { maxTokens: 20_000, storeTimeoutMs: 5 };
  expect(() => checkOptions(wrong as object)).toThrow(/maxTokens is not an option: expected max_tokens$/);
  expect(() => checkOptions({ preserveLastN: 5 } as object)).toThrow(/expected preserve_last_n$/);
});
