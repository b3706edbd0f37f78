import { expect, test } from 'vitest';
import { z } from 'zod';
import { charsOutside } from './outside.ts';

const long = 'What it takes. '.repeat(100);

test.each([
  ['JSON', { type: 'object', properties: { path: { type: 'string', description: long } } }],
  ['Zod', z.object({ path: z.string().describe(long) })],
])('a tool whose schema is %s counts with it, but not with its code and its surroundings', (_, schema) => {
  const tool = { name: 'read', description: 'Reads.', schema, toJSON: () => ({}), server: { logs: long.repeat(10) } };
  const chars = charsOutside(['Help.', [tool]]);
  expect(chars).toBeGreaterThan(long.length);
  expect(chars).toBeLessThan(long.length + 300);
});

test('properties of a schema count whatever they are called', () => {
  const properties = Object.fromEntries(
    ['schema', 'parameters', 'description', 'path'].map((name) => [name, { long }]),
  );
  expect(charsOutside([{ name: 'a', description: 'b', schema: { properties } }])).toBeGreaterThan(4 * long.length);
});

test('a tool that contains itself does not stop the agent', () => {
  const tool: Record<string, unknown> = { name: 'read' };
  tool.self = tool;
  expect(charsOutside([tool])).toBe(0);
});
