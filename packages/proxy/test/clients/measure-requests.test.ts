import type { RecordedRequest } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import { measureRequests } from '../../clients/measure-requests.ts';
import { partEdges } from '../../clients/workspace.ts';

const result = (n: number) => ({ role: 'user', content: `${partEdges(n).join(' words ')}` });
const tools = [{ name: 'bash' }];

function request(messages: readonly unknown[], usage?: Record<string, unknown>, more: Partial<RecordedRequest> = {}) {
  const body = { messages, tools };
  return {
    method: 'POST',
    path: '/v1/messages',
    api: 'anthropic',
    body,
    verdict: 'answered',
    status: 200,
    ...more,
    usage,
  };
}

function measured(...requests: readonly ReturnType<typeof request>[]) {
  return measureRequests(requests as RecordedRequest[], 3, /make a summary/);
}

test('a call is completed once its whole result reached the API, even if it was folded later', () => {
  const cut = { role: 'user', content: partEdges(3)[0] };
  expect(measured(request([result(1)]), request([result(2), cut])).completed).toBe(2);
});

test('costs cached tokens a tenth and written ones a quarter more, and finds the largest prompt', () => {
  const usage = { input_tokens: 100, cache_read_input_tokens: 1000, cache_creation_input_tokens: 200 };
  const { cost, largest_prompt } = measured(request([], usage), request([], { input_tokens: 50 }));
  expect(cost).toBeCloseTo(100 + 100 + 250 + 50);
  expect(largest_prompt).toBe(1300);
});

test('a shorter prompt is a fold, except in requests without tools and for summaries', () => {
  const title = { ...request([], { input_tokens: 5 }), body: { messages: [] } };
  const summary = request([{ role: 'user', content: 'Now make a summary.' }], { input_tokens: 80 });
  const { folds, compactions } = measured(
    request([], { input_tokens: 90 }),
    title,
    summary,
    request([], { input_tokens: 100 }),
    request([], { input_tokens: 40 }),
  );
  expect({ folds, compactions }).toEqual({ folds: 1, compactions: 1 });
});

test('reports the text of every refused request, and leaves token counts out', () => {
  const refused = request([], undefined, { verdict: 'refused', error: { message: 'Too long', rule: undefined } });
  const count = request([], { input_tokens: 9 }, { path: '/v1/messages/count_tokens' });
  expect(measured(refused, count)).toMatchObject({ refused: ['Too long'], requests: 1, cost: 0 });
});
