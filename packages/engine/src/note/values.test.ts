import { expect, test } from 'vitest';
import { isId, isKey, meaningOf } from './values.ts';

test('a value is explained by the words around it, unless it only counts lines or elements', () => {
  const about = (text: string, value: string) => meaningOf(text, text.indexOf(value), value);
  expect(about('order 7731: gift card', '7731')).toBe('order 7731: gift card');
  expect(about("  [815] time 'Aug 11, 2022'", '815')).toBeUndefined();
  expect(about(' 274→const limit', '274')).toBeUndefined();
  expect(about('File "x.py", line 2311, in load', '2311')).toBeUndefined();
  expect(about('INFO modeling_utils.py:2443 loading', '2443')).toBeUndefined();
  expect(about('@@ -1349,7 +1349,8 @@ func load', '1349')).toBeUndefined();
});

test.each([
  'created 2026-02-11 by hand',
  'Finished: Wed, 08 Oct 2026 07:07:30',
  'joined on Jan 28, 2026 as a member',
  'bezahlt am 28.01.2026 per Karte',
  'le 8 octobre 2026 à Paris',
  'Last change: October 2026',
])('the year in a date is no value: %s', (text) => {
  expect(meaningOf(text, text.indexOf('2026'), '2026')).toBeUndefined();
});

test('a number of four digits that is no date stays, even if it could be a year', () => {
  const about = (text: string, value: string) => meaningOf(text, text.indexOf(value), value);
  expect(about('User ID: 1912', '1912')).toBe('User ID: 1912');
  expect(about('invoice 2019 is unpaid', '2019')).toBe('invoice 2019 is unpaid');
});

test('tags of a page do not explain a value, nor does what an address encodes', () => {
  const about = (text: string, value: string) => meaningOf(text, text.indexOf(value), value);
  expect(about('class="gray-300">order 7731 was paid</span>', '7731')).toBe('order 7731 was paid');
  expect(about('rams=%253Fpermissions%253Dnull&dsh=7731', '7731')).toBeUndefined();
  expect(about('Started at 07:07:30 +0000 by cron', '0000')).toBeUndefined();
});

test('ids need the words around them, and keys of JSON are not names', () => {
  expect(isId('gift_card_5094406', 'name')).toBe(true);
  expect(isId('payment_methods', 'name')).toBe(false);
  const text = '{"payment_methods": {"id": "gift_card_5094406"}}';
  expect(isKey(text, text.indexOf('payment_methods'), 'payment_methods'.length)).toBe(true);
  expect(isKey(text, text.indexOf('gift_card_5094406'), 'gift_card_5094406'.length)).toBe(false);
});

test.each([
  ['4291', "  [812] StaticText '4291'"],
  ['2601', '(2601 more lines above)'],
  ['2923', '[File: core.py (2923 lines total)]'],
  ['4096', 'drwxrwxr-x 3 dev dev 4096 Jun 14 07:32 .cache'],
  ['79367', 'dev 79367 0.1 4.4 436472672 365024 ?? SN'],
  ['8f6e8f5e', 'index 7012e98b..8f6e8f5e 100644'],
  ['2026', 'generic ref=e81: (c) 2026 Acme'],
  ['2540', '  2539   with self.trap:\n  2540   args = (name, cell)\n  2541   result = fn(*args)'],
])('%s says nothing in %j', (value, text) => {
  expect(meaningOf(text, text.indexOf(value), value)).toBeUndefined();
});

test('words beside a value explain it although there are other numbers, or the number of the line', () => {
  const about = (text: string, value: string) => meaningOf(text, text.indexOf(value), value);
  expect(about('order 7731: 3 items, $55 each, ships in 2 days', '7731')).toBe(
    'order 7731: 3 items, $55 each, ships in 2 days',
  );
  expect(about('    56→      ttl: 60000, // 1 minute', '60000')).toBe('ttl: 60000, // 1 minute');
  expect(about('OrderId: 4291', '4291')).toBe('OrderId: 4291');
  expect(about('2540 units were sold', '2540')).toBe('2540 units were sold');
});
