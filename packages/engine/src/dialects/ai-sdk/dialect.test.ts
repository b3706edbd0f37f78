import { generateText, type ModelMessage } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { validateAiSdk } from '../../rules/index.ts';
import { readTurns, turnStarts } from '../../turns/read-turns.ts';
import { ConversationWindow } from '../../window.ts';
import { detectDialect } from '../detect.ts';
import { aiSdk } from './dialect.ts';
import type { AiSdkMessage, AiSdkOutput, AiSdkPart } from './wire.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const dialect = aiSdk();
const user = (content: AiSdkMessage['content']): AiSdkMessage => ({ role: 'user', content });
const assistant = (...content: AiSdkPart[]): AiSdkMessage => ({ role: 'assistant', content });
const tool = (...content: AiSdkPart[]): AiSdkMessage => ({ role: 'tool', content });
const text = (words: string): AiSdkPart => ({ type: 'text', text: words });
const call = (toolCallId: string, more: Partial<AiSdkPart> = {}): AiSdkPart => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'read',
  input: { path: 'a.ts' },
  ...more,
});
const result = (toolCallId: string, output: AiSdkOutput): AiSdkPart => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'read',
  output,
});
const said = (value: string): AiSdkOutput => ({ type: 'text', value });
const marked = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };

describe('read', () => {
  test.each<[AiSdkOutput, unknown, boolean]>([
    [said('done'), 'done', false],
    [{ type: 'json', value: { type: 'file', n: 1 } }, '{"type":"file","n":1}', false],
    [{ type: 'json', value: 'done' }, '"done"', false],
    [{ type: 'error-text', value: 'no' }, 'no', true],
    [{ type: 'error-json', value: [1] }, '[1]', true],
    [{ type: 'execution-denied', reason: 'not now' }, 'not now', true],
    [{ type: 'execution-denied' }, '', true],
    [{ type: 'content', value: [{ type: 'text', text: 'a' }] }, [{ type: 'text', text: 'a' }], false],
  ])('an output of %j is a result', (output, content, error) => {
    const reading = dialect.read(tool(result('X', output)));
    expect(reading).toMatchObject({ role: 'tool', results: [{ id: 'X', content, error }], words: false });
    expect(reading.chars).toBe(typeof content === 'string' ? content.length : 1);
  });

  test('several results of one message keep their order', () => {
    const { results } = dialect.read(tool(result('X', said('1')), result('Y', said('2'))));
    expect(results.map(({ id }) => id)).toEqual(['X', 'Y']);
  });

  test('calls and results of the provider stay in the message of the assistant', () => {
    const search = [call('S', { providerExecuted: true }), result('S', said('found'))];
    const reading = dialect.read(assistant(...search, text('so'), call('X')));
    expect(reading).toMatchObject({ calls: [{ id: 'X', name: 'read', input: { path: 'a.ts' } }], results: [] });
    expect(reading.joined).toBe(false);
    expect(reading.chars).toBe('read{"path":"a.ts"}read{"path":"a.ts"}foundso'.length + 2);
    expect(dialect.read(assistant(call('S', { providerExecuted: true }))).joined).toBe(true);
  });

  test('a denied call of the provider has its result in a tool message, which is not paired', () => {
    const denied: AiSdkOutput = { type: 'execution-denied', providerOptions: { openai: { approvalId: 'A' } } };
    expect(dialect.read(tool(result('S', denied))).results).toEqual([]);
    const response = { type: 'tool-approval-response', approvalId: 'A', approved: false, providerExecuted: true };
    expect(dialect.read(tool(response, result('S', { type: 'execution-denied' }))).results).toEqual([]);
  });

  test.each([
    ['base64', { type: 'file', data: PIXEL, mediaType: 'image/png' }],
    ['tagged base64', { type: 'file', data: { type: 'data', data: PIXEL }, mediaType: 'image' }],
    ['a data URL', { type: 'image', image: `data:image/png;base64,${PIXEL}` }],
    ['a data URL object', { type: 'image', image: new URL(`data:image/png;base64,${PIXEL}`) }],
    ['bytes', { type: 'image', image: Uint8Array.from(Buffer.from(PIXEL, 'base64')) }],
    ['a Node buffer', { type: 'image', image: Buffer.from(PIXEL, 'base64') }],
    ['a buffer', { type: 'file', data: Uint8Array.from(Buffer.from(PIXEL, 'base64')).buffer, mediaType: 'image/png' }],
  ])('an image as %s counts by its size, not by its bytes', (_, part) => {
    expect(dialect.read(user([part]))).toMatchObject({ chars: 0, media: 255, words: true });
    const output = { type: 'content', value: [{ type: 'image-data', data: PIXEL, mediaType: 'image/png' }] };
    expect(dialect.read(tool(result('X', output)))).toMatchObject({ chars: 0, media: 255 });
  });

  test('media of unknown size count as the largest possible', () => {
    const far = new URL('https://a.b/c.png');
    for (const image of [far, far.href, { openai: 'file-1' }])
      expect(dialect.read(user([{ type: 'image', image }]))).toMatchObject({ chars: 0, media: 4784 });
    const pdf = { type: 'file', data: { type: 'url', url: far }, mediaType: 'application/pdf' };
    expect(dialect.read(user([pdf]))).toMatchObject({ chars: 0, media: 30_000 });
  });

  test('files of text and sound count as such', () => {
    const file = (data: unknown, mediaType: string) => dialect.read(user([{ type: 'file', data, mediaType }]));
    expect(file({ type: 'text', text: 'four' }, 'text/plain')).toMatchObject({ chars: 4, media: 0 });
    expect(file('aGk='.repeat(1_000), 'text/plain')).toMatchObject({ chars: 0, media: 750 });
    expect(file('aGk='.repeat(8_000), 'audio/mpeg')).toMatchObject({ chars: 0, media: 30 });
  });

  test('reasoning is thinking; a compaction by the provider is firm', () => {
    expect(dialect.read(assistant({ type: 'reasoning', text: 'hm' }))).toMatchObject({ thinking: true, words: false });
    expect(dialect.read(assistant({ type: 'custom', kind: 'openai.compaction' })).firm).toBe(true);
    const compacted = { ...text('so far'), providerOptions: { anthropic: { type: 'compaction' } } };
    expect(dialect.read(assistant(compacted)).firm).toBe(true);
    expect(dialect.read(assistant(text('so far'))).firm).toBe(false);
  });
});

describe('copies', () => {
  test('a masked result keeps its id and the name of its tool; a failed one stays failed', () => {
    const approval = { type: 'tool-approval-response', approvalId: 'A', approved: true };
    const failed = result('Y', { type: 'error-json', value: {} });
    const message = tool(approval, result('X', said('long')), failed, result('Z', said('z')));
    const texts = new Map([
      [0, 'short'],
      [1, 'bad'],
    ]);
    expect(dialect.maskResults(message, texts).content).toEqual([
      approval,
      result('X', said('short')),
      result('Y', { type: 'error-text', value: 'bad' }),
      result('Z', said('z')),
    ]);
  });

  test('a note consists of parts, as providers need it without the SDK’s conversion', () => {
    for (const role of ['user', 'assistant'] as const)
      expect(dialect.note(role, 'a')).toEqual({ role, content: [{ type: 'text', text: 'a' }] });
  });

  test('text is shortened in the form that the role allows', () => {
    expect(dialect.maskText(user([text('a'), { type: 'image', image: PIXEL }]), 'b')).toEqual(user([text('b')]));
    expect(dialect.maskText(user('a'), 'b')).toEqual(user('b'));
    expect(dialect.maskText({ role: 'system', content: 'a' }, 'b')).toEqual({ role: 'system', content: 'b' });
    const thought = { type: 'reasoning', text: 'hm' };
    expect(dialect.maskText(assistant(thought, text('a'), call('X')), 'b')).toEqual(
      assistant(thought, text('b'), call('X')),
    );
    expect(dialect.text(assistant(thought, text('a'), call('X'), text('b')))).toBe('a\nb');
  });

  test('without thinking, stored items are sent as new ones and nothing blank is left', () => {
    const stored = { openai: { itemId: 'fc_1', phase: 'x' } };
    const thought = { type: 'reasoning', text: '', providerOptions: { openai: { itemId: 'rs_1' } } };
    const message = assistant(thought, text(' '), call('X', { providerOptions: stored }));
    expect(dialect.withoutThinking(message)).toEqual(
      assistant(call('X', { providerOptions: { openai: { phase: 'x' } } })),
    );
    expect(dialect.withoutThinking(assistant(thought, text('\n')))).toBeUndefined();
  });

  test('an answer fails every call, with the name of its tool', () => {
    const calls = [{ id: 'X', name: 'read', input: {} }];
    const answers = dialect.answer(calls, 'stopped');
    expect(answers).toEqual([tool(result('X', { type: 'error-text', value: 'stopped' }))]);
    expect(validateAiSdk([user('go'), assistant(call('X')), ...answers])).toEqual([]);
  });

  test('a quoted result becomes text of the user, with everything it contained', () => {
    const file = { type: 'file', data: { type: 'data', data: PIXEL }, mediaType: 'image/png' };
    const items = [
      { type: 'text', text: 'seen' },
      file,
      { type: 'image-data', data: PIXEL, mediaType: 'image/png' },
      { type: 'image-url', url: 'https://a.b/c.png' },
      { type: 'file-id', fileId: 'f1' },
    ];
    const message = tool(
      result('X', said('kept')),
      result('Y', said('lost')),
      result('Z', { type: 'content', value: items }),
    );
    const [rest, quoted, ...none] = dialect.quote(message, new Set([1, 2]));
    expect(none).toEqual([]);
    expect(rest).toEqual(tool(result('X', said('kept'))));
    expect(quoted?.content).toEqual([
      text('[Quoted result of the call Y]\nlost'),
      text('[Quoted result of the call Z]\nseen'),
      file,
      { type: 'file', data: PIXEL, mediaType: 'image/png' },
      { type: 'file', data: 'https://a.b/c.png', mediaType: 'image' },
      text('[Quoted result of the call Z]\n{"type":"file-id","fileId":"f1"}'),
    ]);
    expect(validateAiSdk([quoted as AiSdkMessage])).toEqual([]);
    expect(dialect.quote(tool(result('X', said('a'))), new Set([0]))).toHaveLength(1);
  });
});

describe('cache markers', () => {
  const options = { anthropic: { cacheControl: { type: 'ephemeral' }, citations: true }, openai: { store: false } };
  const items = [{ type: 'text', text: 'a', ...marked }];
  const message: AiSdkMessage = {
    ...tool(
      { ...result('X', { type: 'content', value: items }), ...marked },
      { ...result('Y', { ...said('b'), ...marked }), providerOptions: options },
    ),
    ...marked,
  };

  test('are counted wherever they are', () => {
    expect(dialect.read(message).markers).toBe(5);
    const others = [{ bedrock: { cachePoint: { type: 'default' } } }, { openai: { promptCacheBreakpoint: {} } }];
    for (const providerOptions of others) expect(dialect.read({ ...user('a'), providerOptions }).markers).toBe(1);
    expect(dialect.read({ ...user('a'), providerOptions: { openai: { store: true } } }).markers).toBe(0);
  });

  test('the last ones are kept, as many as requested, and other options stay', () => {
    for (let keep = 0; keep <= 5; keep++) expect(dialect.read(dialect.withMarkers(message, keep)).markers).toBe(keep);
    expect(dialect.withMarkers(message, 5)).toBe(message);
    expect(dialect.withMarkers(message, 1).providerOptions).toEqual(marked.providerOptions);
    expect(dialect.withMarkers(message, 0)).toEqual(
      tool(result('X', { type: 'content', value: [{ type: 'text', text: 'a' }] }), {
        ...result('Y', said('b')),
        providerOptions: { anthropic: { citations: true }, openai: { store: false } },
      }),
    );
    expect(dialect.withMarkers({ ...user('a'), ...marked }, 0)).toEqual(user('a'));
  });
});

describe('detectDialect', () => {
  test.each<[string, unknown]>([
    ['a call', assistant(call('X'))],
    ['results', tool(result('X', said('a')))],
    ['an approval', tool({ type: 'tool-approval-response', approvalId: 'A', approved: true })],
    ['an image', user([{ type: 'image', image: PIXEL }])],
    ['a file', user([{ type: 'file', data: PIXEL, mediaType: 'image/png' }])],
    ['options', { ...user('hi'), ...marked }],
  ])('knows it by %s', (_, message) => {
    expect(detectDialect([{ role: 'user', content: 'hi' }, message]).name).toBe('ai-sdk');
  });

  test.each<[string, unknown, string]>([
    ['an image', user([{ type: 'image', source: { type: 'base64', data: PIXEL } } as AiSdkPart]), 'anthropic'],
    ['a call', { role: 'assistant', content: [{ type: 'tool_use', id: 'X', name: 'read', input: {} }] }, 'anthropic'],
    ['a file', { role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }, 'openai-chat'],
    ['a result', { role: 'tool', tool_call_id: 'X', content: [{ type: 'text', text: 'a' }] }, 'openai-chat'],
    ['plain text', { role: 'assistant', content: [{ type: 'text', text: 'a' }] }, 'openai-chat'],
  ])('leaves %s to its own format: %j', (_, message, name) => {
    expect(detectDialect([{ role: 'user', content: 'hi' }, message]).name).toBe(name);
  });
});

describe('in a window', () => {
  const approved = [
    assistant(call('X'), { type: 'tool-approval-request', approvalId: 'A', toolCallId: 'X' }),
    tool({ type: 'tool-approval-response', approvalId: 'A', approved: true }),
    tool(result('X', said('done'))),
  ];

  test('an approval between call and result belongs to their turn', () => {
    const messages = [user('go'), ...approved, user('on')];
    expect(readTurns(dialect, messages).map((turn) => turn.messages.length)).toEqual([1, 3, 1]);
    expect(turnStarts(dialect, messages)).toEqual([true, true, false, false, true]);
  });

  test("a result of the provider's that comes later belongs to the turn of its call, also one call later", async () => {
    const search = call('S', { providerExecuted: true });
    const first = [user('go'), assistant(search, call('X')), tool(result('X', said('done')))];
    const later = [assistant(result('S', said('found')), text('so')), user('on')];
    const whole = [...first, ...later];
    expect(turnStarts(dialect, whole)).toEqual([true, true, false, false, true]);
    const window = new ConversationWindow({}, { dialect });
    await window.fit(first);
    await window.fit(whole);
    expect(window.state().turns.map(({ count }) => count)).toEqual([1, 3, 1]);
  });

  test('a message that went through JSON is the same message', async () => {
    const events: string[] = [];
    const onEvent = ({ type }: { type: string }) => events.push(type);
    const window = new ConversationWindow({ max_messages: 4 }, { dialect, onEvent });
    const answer = assistant({ ...text('yes'), providerOptions: undefined });
    const history = Array.from({ length: 4 }, () => [user('well?'), answer]).flat();
    await window.fit(history);
    expect(events.splice(0)).toEqual(['fold-end']);
    await window.fit([...JSON.parse(JSON.stringify(history)), user('and?')]);
    expect(events).not.toContain('history-rewritten');
  });

  test('bytes: the state is plain JSON, continues with them, and notices changes', async () => {
    const photo = (byte: number) => user([text('look'), { type: 'image', image: new Uint8Array(50).fill(byte) }]);
    const link = user([{ type: 'image', image: new URL('https://a.b/c.png') }]);
    const history = (byte: number) => [photo(byte), assistant(text('a')), link, assistant(text('b')), user('c')];
    const events: string[] = [];
    const onEvent = ({ type }: { type: string }) => events.push(type);
    const before = new ConversationWindow<AiSdkMessage>({}, { dialect });
    await before.fit(history(1));
    const state = before.state();
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    const after = new ConversationWindow<AiSdkMessage>({}, { dialect, state, onEvent });
    const { messages } = await after.fit(history(1));
    expect(messages).toEqual(history(1));
    expect(events).toEqual([]);
    await after.fit(history(2));
    expect(events).toEqual(['history-rewritten']);
  });

  test('the SDK itself accepts every view of a long task', async () => {
    const window = new ConversationWindow<AiSdkMessage>({ max_tokens: 2_000, max_messages: 0 }, { dialect });
    const history: AiSdkMessage[] = [user('Fix src/a.ts')];
    let folds = 0;
    for (let i = 0; i < 60; i++) {
      history.push(
        assistant({ type: 'reasoning', text: 'hm' }, call(`c${i}`), call(`d${i}`)),
        tool(result(`d${i}`, { type: 'json', value: { i, lines: ['x'.repeat(40 * (i % 9))] } })),
        tool(result(`c${i}`, said(`${i}: ${'const value = 1;\n'.repeat(i % 30)}`))),
      );
      const { messages, receipt } = await window.fit(history);
      folds += receipt ? 1 : 0;
      const model = new MockLanguageModelV4({ doGenerate: () => Promise.reject(new Error('was called')) });
      const sent = generateText({ model, messages: messages as ModelMessage[], maxRetries: 0 });
      await expect(sent).rejects.toThrow('was called');
    }
    expect(folds).toBeGreaterThan(3);
  });
});
