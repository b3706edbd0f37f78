import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STAND_IN_MODELS } from '../src/index.ts';
import { firstRequests } from './readme-example.ts';

const page = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

test('the example of the README runs', async () => {
  const { answer, statuses } = await firstRequests();
  expect(answer.content).toMatchObject([{ type: 'text', text: 'It says hello.' }]);
  expect(statuses).toEqual([200, 529, 200]);
});

test('the README shows that example, word for word', () => {
  const [, snippet = 'none'] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const example = readFileSync(join(import.meta.dirname, 'readme-example.ts'), 'utf8');
  expect(example).toContain(snippet.trim());
});

test('the README names every model', () => {
  for (const id of Object.keys(STAND_IN_MODELS)) expect(page).toContain(`\`${id}\``);
});
