import type Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { expect, test } from 'vitest';
import { failureOf, running } from '../../test/running.ts';
import { toolLoop } from '../index.ts';

const run = betaTool({
  name: 'bash',
  description: 'Runs a command.',
  inputSchema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  run: ({ command }) => `ran ${command}`,
});
const ASK = {
  model: 'claude-opus-5-5',
  max_tokens: 1000,
  system: 'You are an agent.',
  messages: [{ role: 'user' as const, content: 'Run the loop.' }],
};

test('the official tool runner carries a loop on a thread: only the new messages are sent', async () => {
  const { anthropic, standIn } = await running({ script: toolLoop({ calls: 3, command: (n) => `seq ${n}` }) });
  const answer = await anthropic.beta.messages.toolRunner({ ...ASK, tools: [run] });
  expect(answer.content.at(-1)).toMatchObject({ text: expect.stringContaining('all 3 calls') });
  const bodies = standIn.requests.map(({ body }) => body as Anthropic.Beta.MessageCreateParams);
  expect(standIn.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(bodies.map(({ thread }) => thread?.type)).toEqual(['create', 'continue', 'continue', 'continue']);
  expect(bodies.map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1]);
  expect(bodies[1]).not.toHaveProperty('system');
});

test('a thread is refused if it is unknown, already continued, or asked for what it cannot do', async () => {
  const { anthropic } = await running();
  const betas = ['message-threads-2026-08-12'];
  const ask = (more: object) =>
    anthropic.beta.messages.create({ ...ASK, betas, ...more } as Anthropic.Beta.MessageCreateParamsNonStreaming);
  const codeOf = async (request: PromiseLike<unknown>) => {
    const { status, error } = await failureOf(request);
    return [status, (error as { error: { details?: unknown } }).error.details];
  };
  const next = (id: string) => ({ system: undefined, thread: { type: 'continue', previous_message_id: id } });
  expect(await codeOf(ask(next('msg_none')))).toEqual([404, { error_code: 'thread_not_found' }]);
  const { id } = await ask({ thread: { type: 'create' } });
  expect(await codeOf(ask({ ...next(id), system: 'Another.' }))).toEqual([
    400,
    { error_code: 'thread_fingerprint_mismatch' },
  ]);
  await ask(next(id));
  expect(await codeOf(ask(next(id)))).toEqual([400, { error_code: 'thread_already_continued' }]);
  expect(await codeOf(ask({ thread: { type: 'create' }, thinking: { type: 'adaptive' } }))).toEqual([
    400,
    { error_code: 'thread_unsupported_request', unsupported: ['thinking'] },
  ]);
  expect((await failureOf(ask({ betas: [], thread: { type: 'create' } }))).message).toContain('thread: Extra inputs');
});
