import type Anthropic from '@anthropic-ai/sdk';
import type { AnthropicBlock, AnthropicMessage } from 'holdfast/rules';
import { expect, test } from 'vitest';
import { failureOf, running } from '../../test/running.ts';
import { type Answer, createStandIn } from '../index.ts';

type Messages = AnthropicMessage[];
type Sent = Anthropic.Beta.Messages.BetaMessageParam[];
type Params = Omit<Anthropic.Beta.Messages.MessageCreateParamsNonStreaming, 'messages' | 'max_tokens'>;

const BETA = 'thinking-binding-controls-2026-08-01';
const HELP =
  'The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
const HEADER = `That setting requires the \`${BETA}\` value in the \`anthropic-beta\` header.`;
const PARAMS: Params = {
  model: 'claude-opus-5-5',
  thinking: { type: 'adaptive' },
  system: 'Be brief.',
  tools: [{ name: 'read', input_schema: { type: 'object' } }],
};
const THINKING: Answer = { thinking: 'Let me see.', text: 'Reading.', calls: [{ name: 'read', input: {} }] };

/** A conversation of so many rounds, as the stand-in itself made it. */
async function conversation(rounds: number, params: Params = PARAMS, answer: Answer = THINKING, options = {}) {
  const { anthropic, standIn } = await running({ script: () => answer, ...options });
  const messages: Messages = [{ role: 'user', content: 'Fix it.' }];
  const send = (list: Messages, more: Partial<Params> = {}) =>
    anthropic.beta.messages.create({ ...params, ...more, max_tokens: 2000, messages: list as Sent });
  for (let round = 0; round < rounds; round++) {
    const { content } = await send(messages);
    const results = content.flatMap((block) =>
      block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: `${round}` }] : [],
    );
    messages.push({ role: 'assistant', content: content as AnthropicBlock[] }, { role: 'user', content: results });
  }
  return { messages, send, anthropic, standIn };
}

const texts = async (request: PromiseLike<unknown>) =>
  (await failureOf(request)).error as { error: { message: string } };
const withoutThinking = (messages: Messages, at: (index: number) => boolean): Messages =>
  messages.map(({ role, content }, index) => ({
    role,
    content:
      typeof content === 'string' || !at(index) ? content : content.filter(({ type }) => !type.endsWith('thinking')),
  }));

const changed = (messages: Messages, change: (block: AnthropicBlock) => AnthropicBlock, at?: number): Messages =>
  messages.map(({ role, content }, index) => {
    if (typeof content === 'string' || index !== (at ?? index)) return { role, content };
    return { role, content: content.map((block) => (block.type === 'thinking' ? change(block) : block)) };
  });

test('thinking is accepted as it was sent', async () => {
  const { messages, send } = await conversation(4);
  expect((await send(messages)).content[0]).toMatchObject({ type: 'thinking' });
});

test('an edited message before thinking is refused, naming its place', async () => {
  const { messages, send } = await conversation(3);
  const edited = messages.with(0, { role: 'user', content: 'Fix it!' });
  expect(await texts(send(edited))).toMatchObject({
    error: {
      message: `messages.1.content.0: Invalid \`signature\` in \`thinking\` block. ${HELP} ${HEADER} Content before this block differs from when it was created, first at \`messages.0.content.0\`.`,
    },
  });
  const later = messages.with(2, { role: 'user', content: [{ ...resultOf(messages[2]), content: 'masked' }] });
  expect(await texts(send(later))).toMatchObject({
    error: { message: expect.stringMatching(/^messages\.3\.content\.0: .* first at `messages\.2\.content\.0`\.$/) },
  });
});

test('another system prompt or other tools are refused by name', async () => {
  const { messages, send } = await conversation(1);
  const message = expect.stringContaining('The `system` prompt differs from the one this block was created with.');
  expect(await texts(send(messages, { system: 'Be long.' }))).toMatchObject({ error: { message } });
  const tools = [...(PARAMS.tools ?? []), { name: 'write', input_schema: { type: 'object' as const } }];
  const other = expect.stringContaining('The `tools` differ from the ones this block was created with.');
  expect(await texts(send(messages, { tools }))).toMatchObject({ error: { message: other } });
});

test('markers, effort, key order and deferred tools are not part of the prefix', async () => {
  const { messages, send } = await conversation(2);
  await send(messages, {
    system: [{ text: 'Be brief.', type: 'text', cache_control: { type: 'ephemeral' } }],
    tools: [
      { input_schema: { type: 'object' }, name: 'read' },
      { name: 'late', input_schema: { type: 'object' }, defer_loading: true },
    ],
    output_config: { effort: 'low' },
  });
});

test('thinking may be removed from the front, from the end or entirely, but not from the middle', async () => {
  const { messages, send } = await conversation(3);
  await send(withoutThinking(messages, (index) => index === 1));
  await send(withoutThinking(messages, (index) => index === 5));
  await send(withoutThinking(messages, () => true));
  expect(await texts(send(withoutThinking(messages, (index) => index === 3)))).toMatchObject({
    error: {
      message: expect.stringMatching(
        /^messages\.5\.content\.0: Invalid `signature` .* Thinking before this block differs/,
      ),
    },
  });
});

test('thinking that was removed cannot be put back', async () => {
  const { messages, send } = await conversation(2);
  const bare = withoutThinking(messages, () => true);
  const { content } = await send(bare);
  const id = content.find((block) => block.type === 'tool_use')?.id ?? '';
  const next: Messages = [
    { role: 'assistant', content: content as AnthropicBlock[] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] },
  ];
  await send([...bare, ...next]);
  expect(await texts(send([...messages, ...next]))).toMatchObject({
    error: { message: expect.stringMatching(/^messages\.5\.content\.0: Invalid `signature`/) },
  });
});

test('after an edit, a request without thinking is accepted', async () => {
  const { messages, send } = await conversation(3);
  await send(withoutThinking(messages.with(0, { role: 'user', content: 'Fix it!' }), () => true));
});

test('drop_block drops mismatched thinking, reports it and does not bill it', async () => {
  const { messages, send } = await conversation(3);
  const edited = messages.with(2, { role: 'user', content: [{ ...resultOf(messages[2]), content: '9' }] });
  const asked = {
    betas: [BETA],
    thinking: { type: 'adaptive' as const, block_binding: { prefix_mismatch_behavior: 'drop_block' as const } },
  };
  const { input_transformations: done, usage } = await send(edited, asked);
  const dropped = { type: 'thinking_dropped', reason: 'prefix_binding_mismatch' };
  expect(done).toEqual([
    { ...dropped, path: 'messages.3.content.0' },
    { ...dropped, path: 'messages.5.content.0' },
  ]);
  const bare = withoutThinking(edited, (index) => index > 1);
  const same = await send(bare, asked);
  expect(same.input_transformations).toEqual([]);
  expect(usage.input_tokens).toBe(same.usage.input_tokens);
});

test('with the header but without drop_block, the text does not mention the header', async () => {
  const { messages, send } = await conversation(1);
  const { error } = await texts(send(messages, { system: 'Be long.', betas: [BETA] }));
  expect(error.message).toContain(`${HELP} The \`system\``);
});

test('a tampered signature is refused, whatever is asked for', async () => {
  const { messages, send } = await conversation(2);
  const forged = changed(messages, (block) => ({ ...block, signature: `${block.signature}A` }));
  const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
  expect(await texts(send(forged))).toMatchObject({ error: { message } });
  const dropping = {
    betas: [BETA],
    thinking: { type: 'adaptive' as const, block_binding: { prefix_mismatch_behavior: 'drop_block' as const } },
  };
  expect(await texts(send(forged, dropping))).toMatchObject({ error: { message } });
});

test('edited thinking is refused, with a different text in the latest message', async () => {
  const { messages, send } = await conversation(2, { ...PARAMS, model: 'claude-opus-5' });
  const edit = (at: number) => changed(messages, (block) => ({ ...block, thinking: 'Else.' }), at);
  expect(await texts(send(edit(1)))).toMatchObject({
    error: { message: 'messages.1.content.0: Invalid `signature` in `thinking` block' },
  });
  expect(await texts(send(edit(3)))).toMatchObject({
    error: {
      message:
        'messages.3.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
    },
  });
});

test('of two thinking blocks in the latest message, one cannot be removed alone', async () => {
  const answer = { ...THINKING, thinking: ['One.', 'Two.'] };
  const { messages, send } = await conversation(1, PARAMS, answer);
  await send(messages);
  const [first, latest, last] = messages;
  const content = typeof latest?.content === 'object' ? latest.content.slice(1) : [];
  const cut = [first, { role: 'assistant', content }, last].flatMap((one) => one ?? []);
  expect(await texts(send(cut))).toMatchObject({ error: { message: expect.stringContaining('cannot be modified') } });
});

test('redacted thinking is bound like any other', async () => {
  const { messages, send } = await conversation(2, PARAMS, { ...THINKING, redacted: true });
  await send(messages);
  expect(await texts(send(messages.with(0, { role: 'user', content: 'Else.' })))).toMatchObject({
    error: {
      message: expect.stringMatching(
        /^messages\.1\.content\.0: Invalid `data` in `redacted_thinking` block\. The block is bound/,
      ),
    },
  });
});

test('thinking accepts no marker', async () => {
  const { messages, send } = await conversation(1);
  const marked = changed(messages, (block) => ({ ...block, cache_control: { type: 'ephemeral' } }));
  expect(await texts(send(marked))).toMatchObject({
    error: { message: 'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted' },
  });
});

test.each([
  ['claude-fable-5-2', 'old', false, 'refused'],
  ['claude-fable-5-1', 'new', false, 'refused'],
  ['claude-fable-5-1', 'old', false, 'taken'],
  ['claude-fable-5-1', 'old', true, 'refused'],
  ['claude-sonnet-5-5', 'new', false, 'refused'],
  ['claude-mythos-5-1', 'new', false, 'taken'],
  ['claude-sonnet-5', 'new', false, 'taken'],
  ['claude-haiku-4-5', 'new', false, 'taken'],
] as const)('an edit before thinking on %s, %s account, asked: %s, is %s', async (model, account, asked, verdict) => {
  const mode =
    model === 'claude-haiku-4-5' ? { type: 'enabled' as const, budget_tokens: 1024 } : { type: 'adaptive' as const };
  const { messages, send } = await conversation(1, { ...PARAMS, model, thinking: mode }, THINKING, { account });
  const request = send(messages.with(0, { role: 'user', content: 'Else.' }), {
    betas: [BETA],
    thinking: asked ? { ...mode, block_binding: { prefix_mismatch_behavior: 'error' } } : mode,
  });
  if (verdict === 'refused') await failureOf(request);
  else {
    const bound = model.includes('5-1') && !model.includes('mythos');
    expect((await request).input_transformations?.map(({ type }) => type)).toEqual(
      bound ? ['thinking_mismatch_allowed'] : [],
    );
  }
});

test('counting checks the same prefix', async () => {
  const { messages, anthropic } = await conversation(1);
  const { input_tokens: counted } = await anthropic.beta.messages.countTokens({
    ...PARAMS,
    messages: messages as Sent,
  });
  expect(counted).toBeGreaterThan(300);
  const edited = messages.with(0, { role: 'user', content: 'Else.' });
  await expect(anthropic.beta.messages.countTokens({ ...PARAMS, messages: edited as Sent })).rejects.toMatchObject({
    status: 400,
  });
});

test('a restarted stand-in accepts the signatures of the previous one', async () => {
  const { messages, anthropic } = await conversation(2);
  const other = await createStandIn({ script: () => THINKING });
  const client = anthropic.withOptions({ baseURL: other.url });
  const ask = (list: Messages) => client.beta.messages.create({ ...PARAMS, max_tokens: 2000, messages: list as Sent });
  await ask(messages);
  expect(await texts(ask(messages.with(0, { role: 'user', content: 'Else.' })))).toMatchObject({
    error: { message: expect.stringContaining('Content before this block differs from when it was created') },
  });
  await other.close();
});

function resultOf(message: Messages[number] | undefined) {
  const [block] = typeof message?.content === 'object' ? message.content : [];
  if (block?.type !== 'tool_result') throw new Error('no result');
  return block;
}
