import { fixedAnswers } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import type { Tool } from '../src/index.ts';
import { APIS, refused, standing } from './apis.ts';

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } };
const reading = (run: Tool['run']): Tool => ({ name: 'read_file', description: 'reads', input_schema: SCHEMA, run });
const call = { name: 'read_file', input: { path: 'a.ts' } };

test.each(APIS)('$name: a failure before anything is sent leaves the conversation unchanged', async (api) => {
  const standIn = await standing({ script: fixedAnswers('One.', 'Two.') });
  const provider = api.provider(standIn, { model: api.models[0] });
  const { conversationState } = await provider.execute('First.');
  for (const result of [
    await provider.execute('  ', { conversationState }),
    await provider.execute('Next.', { conversationState, conversation: { max_messages: -3 } }),
  ]) {
    expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request' });
    expect(result.conversationState).toEqual(conversationState);
  }
  const after = await provider.execute('Second.', { conversationState });
  expect(after).toMatchObject({ success: true, output: 'Two.' });
  expect(refused(standIn)).toEqual([]);
});

test.each(APIS)('$name: an undefined option counts as unset', async (api) => {
  const standIn = await standing({ script: fixedAnswers('One.') });
  const provider = api.provider(standIn, { model: api.models[1], system: 'Be brief.' });
  const nothing = { model: undefined, system: undefined } as unknown as object;
  await provider.execute('Go.', nothing);
  const { path, body: sent } = standIn.requests.at(-1) ?? {};
  const body = JSON.stringify([path, sent]);
  expect(body).toContain(api.models[1]);
  expect(body).toContain('Be brief.');
});

test.each(APIS)('$name: a tool’s changes to its input are not sent back', async (api) => {
  const standIn = await standing({ script: fixedAnswers({ thinking: 'Hm.', calls: [call] }, 'Done.') });
  const provider = api.provider(standIn, { model: api.models[0], thinking: true });
  const tool = reading(async (input) => {
    (input as { path: string }).path = 'changed.ts';
    return 'text';
  });
  const result = await provider.execute('Read a.ts.', { tools: [tool] });
  expect(result).toMatchObject({ success: true, output: 'Done.' });
  expect(refused(standIn)).toEqual([]);
  expect(JSON.stringify(standIn.requests.at(-1)?.body)).not.toContain('changed.ts');
});

test.each(APIS)('$name: another vendor’s key in a tool result is not in the state', async (api) => {
  const standIn = await standing({ script: fixedAnswers({ calls: [call] }, 'Done.') });
  const names = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'] as const;
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = `planted-${name}-0815-abcdefgh`;
  try {
    const tool = reading(async () => names.map((name) => process.env[name]).join(' '));
    const { conversationState } = await api
      .provider(standIn, { model: api.models[0] })
      .execute('Read .env.', { tools: [tool] });
    expect(JSON.stringify(conversationState)).not.toContain('planted-');
  } finally {
    for (const [i, name] of names.entries()) {
      if (before[i] === undefined) delete process.env[name];
      else process.env[name] = before[i];
    }
  }
});

test.each(APIS)(
  '$name: as long as nothing is folded, sending everything would have cost the same, across executions',
  async (api) => {
    const answers = Array.from({ length: 12 }, (_, i) => `Answer ${i}. ${'Some words. '.repeat(200)}`);
    const standIn = await standing({ script: fixedAnswers(...answers) });
    const provider = api.provider(standIn, { model: api.models[0], system: 'You are careful. '.repeat(400) });
    let conversationState: unknown;
    let spent = 0;
    let everything = 0;
    for (let i = 0; i < answers.length; i++) {
      const result = await provider.execute(`Go on, ${i}.`, { conversationState });
      conversationState = result.conversationState;
      expect(result.folds).toBe(0);
      spent += result.cost?.spent ?? 0;
      everything += result.cost?.everything ?? 0;
    }
    expect(spent).toBeGreaterThan(0);
    expect(everything).toBe(spent);
  },
);

test.each(APIS)('$name: the user’s model settings override the server’s', async (api) => {
  const standIn = await standing({ script: fixedAnswers('One.') });
  const [model] = api.models;
  const provider = api.provider(standIn, { model, models: { [model]: { max_output: 2_000 } } });
  await provider.execute('Go.');
  const sent = (standIn.requests.at(-1)?.body ?? {}) as Record<string, unknown>;
  expect(JSON.stringify(sent)).toMatch(/"(?:max_(?:completion_|output_)?tokens|maxOutputTokens)":2000\b/);
});

test.each(APIS)('$name: a failing summarizer is reported', async (api) => {
  const calls = Array.from({ length: 30 }, (_, i) => ({ text: `Step ${i}.`, calls: [call] }));
  const standIn = await standing({ script: fixedAnswers(...calls, 'Done.') });
  const warnings: string[] = [];
  const provider = api.provider(standIn, {
    model: api.models[0],
    conversation: { max_messages: 20, summarize_on_trim: true, summarization_model: 'no-such-model' },
    logger: { debug() {}, info() {}, warn: (line) => warnings.push(line) },
  });
  const result = await provider.execute('Go.', { tools: [reading(async () => 'text')] });
  expect(result.success).toBe(true);
  expect(warnings.join('\n')).toMatch(/No summary by no-such-model, using the digest: .*/);
});
