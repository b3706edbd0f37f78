import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listSpan } from './list-span.ts';
import { replaceList } from './replace-list.ts';

/** The list under a key, as the proxy finds it. */
function found(json: string, key: string) {
  const body = Buffer.from(json);
  const span = listSpan(body, key);
  const items = (JSON.parse(json) as Record<string, unknown>)[key];
  return span && Array.isArray(items) ? { body, list: { span, items: items as unknown[] } } : undefined;
}

function replaced(json: string, change: (items: unknown[]) => unknown[]): string | undefined {
  const { body, list } = found(json, 'messages') ?? {};
  return (
    body && list && Buffer.concat(replaceList(body, list, change(list.items)).map(({ bytes }) => bytes)).toString()
  );
}

const ODD =
  '\n{"n":9223372036854775807,"x":1.0, "messages" : [ {"a":"]\\"}\\\\"} ,\t{"b":[[{"c":"ü\\u00fc🙂"}],-1.50e+3]},\n{}\r] ,"y":null}\n';

test.each([
  ['all as they were', (items: unknown[]) => items, ODD],
  ['none', () => [], ODD.replace(/\[ .*\r\]/s, '[]')],
  ['the first gone', ([, ...rest]: unknown[]) => rest, ODD.replace(/\[ .*?,\t/s, '[')],
  ['the last gone', (items: unknown[]) => items.slice(0, -1), ODD.replace(',\n{}\r]', ']')],
  ['a new one first', (items: unknown[]) => [{ new: 'ü' }, ...items], ODD.replace('[ {', '[{"new":"ü"},{')],
  ['a copy in the middle', ([a, , c]: unknown[]) => [a, { b: 1 }, c], ODD.replace(/\} ,\t\{"b".*?,\n/s, '},{"b":1},')],
])('replaces items in place: %s', (_, change, expected) => {
  expect(replaced(ODD, change)).toBe(expected);
});

test('the last of repeated keys counts, escaped or not, and only at the outermost level', () => {
  const json = '{"tools":{"messages":[0]},"messages":[1],"mess\\u0061ges":[2,3],"also":"messages"}';
  expect(found(json, 'messages')?.list).toMatchObject({ items: [2, 3], span: { items: [{}, {}] } });
  const { start = 0, end = 0 } = found(json, 'messages')?.list.span ?? {};
  expect(json.slice(start, end)).toBe('[2,3]');
});

test.each([
  '{"messages":"text"}',
  '{"messages":{"0":1}}',
  '{}',
  '{"messages":[1],"messages":null}',
  '[]',
  '7',
  '"messages"',
])('finds no list in %s', (json) => expect(listSpan(Buffer.from(json), 'messages')).toBeUndefined());

/** JSON text in an odd layout: random spaces, random escapes. */
const space = fc.constantFrom('', '', ' ', '\n', '\r\n\t');
const text = fc
  .array(fc.constantFrom('a', '"', '\\', ']', '}', ',', ':', 'ü', '🙂', '\\u0022', '\\n', '\\\\', '{"messages":[1]}'))
  .map((parts) => `"${parts.map((part) => (/^\\./.test(part) ? part : JSON.stringify(part).slice(1, -1))).join('')}"`);
const scalar = fc.oneof(text, fc.constantFrom('0', '-1.50e+3', '9223372036854775807', 'true', 'false', 'null'));
const { value } = fc.letrec<{ value: string; list: string; record: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('record')),
  list: fc.tuple(space, fc.array(tie('value')), space).map(([a, all, b]) => `[${a}${all.join(`${b},${a}`)}${b}]`),
  record: fc
    .tuple(space, fc.array(fc.tuple(text, tie('value'))), space)
    .map(([a, all, b]) => `{${a}${all.map(([key, one]) => `${key}${a}:${b}${one}`).join(`${a},${b}`)}${b}}`),
}));
const body = fc
  .tuple(fc.array(fc.tuple(fc.oneof(text, fc.constant('"messages"')), value)), fc.array(value), space)
  .map(([fields, items, gap]) => {
    const shown = fields.map(([key, one]) => `${key}:${gap}${one}`);
    shown.push(`"messages"${gap}:${gap}[${gap}${items.join(`,${gap}`)}${gap}]`);
    return `${gap}{${gap}${shown.join(`${gap},`)}${gap}}${gap}`;
  });

test('the same items give the same bytes, and others the JSON that they should', () => {
  fc.assert(
    fc.property(body, fc.array(fc.nat(20)), (json, picks) => {
      const objects = (items: unknown[]) => items.every((item) => typeof item === 'object' && item !== null);
      const { list } = found(json, 'messages') ?? {};
      expect(list?.span.items).toHaveLength(list?.items.length ?? -1);
      if (list && objects(list.items)) expect(replaced(json, (items) => items)).toBe(json);
      const chosen = (items: unknown[]) => picks.map((at) => items[at] ?? { at });
      const parsed = JSON.parse(json) as { messages: unknown[] };
      expect(JSON.parse(replaced(json, chosen) ?? '')).toEqual({ ...parsed, messages: chosen(parsed.messages) });
    }),
  );
});
