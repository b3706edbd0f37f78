import { expect, test } from 'vitest';
import { visible } from './visible.ts';

test.each([
  [
    'a Cyrillic letter in an address',
    'base_url: https://api.\u0430nthropic.com',
    'base_url: https://api.\\u{430}nthropic.com',
  ],
  ['a Latin one that is none of ours', 'https://\u0251pi.x.com/v1', 'https://\\u{251}pi.x.com/v1'],
  ['a Cyrillic letter in a command', 'command: n\u0440x', 'command: n\\u{440}x'],
  ['letters that nobody sees', 'a\u3164b\u115f\u2800\u034f', 'a\\u{3164}b\\u{115f}\\u{2800}\\u{34f}'],
  ['what a terminal obeys', '\u001b]52;c;eA==\u0007', '\\u{1b}]52;c;eA==\\u{7}'],
])('escapes %s', (_, line, shown) => {
  expect(visible(line)).toBe(shown);
});

test.each([
  'Ключ API-ключ лежит в .env',
  'naïve Größe café',
  '使用TypeScript编写',
  'ステップ1はnpmで',
  'α and β',
  '⚠ ok',
])('leaves %s unchanged', (line) => {
  expect(visible(line)).toBe(line);
});
