import { describe, expect, test } from 'vitest';
import { isHoldfastError } from '../../errors.ts';
import { type OpenaiResponsesItem, validateOpenaiResponses } from '../../rules/index.ts';
import type { Strategy } from '../../strategy.ts';
import { readTurns } from '../../turns/read-turns.ts';
import { ConversationWindow } from '../../window.ts';
import { detectDialect } from '../detect.ts';
import { openaiResponses } from './dialect.ts';

type Item = OpenaiResponsesItem;

const dialect = openaiResponses();
const { read } = dialect;
const user = (content: Item['content'] = 'go'): Item => ({ role: 'user', content });
const say = (text: string): Item => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const reasoning: Item = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'well' }] };
const call = (call_id: string, name = 'read'): Item => ({ type: 'function_call', call_id, name, arguments: '{}' });
const output = (call_id: string, value: unknown = 'done'): Item => ({
  type: 'function_call_output',
  call_id,
  output: value,
});
const shell = (stdout: string, code: number) => ({ stdout, stderr: '', outcome: { type: 'exit', exit_code: code } });
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { type: 'input_image', image_url: PIXEL.padEnd(40_000, 'A'), detail: 'auto' };
const COMPACTION: Item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'g'.repeat(4_000) };
const lines = (n: number, salt = 0) =>
  Array.from({ length: n }, (_, i) => `${i}: const value_${salt}_${i} = compute(${i});`).join('\n');

/** Every kind of call that the client answers, with its output. */
const PAIRS: readonly (readonly [Item, Item])[] = [
  [call('X'), output('X')],
  [
    { type: 'custom_tool_call', call_id: 'X', name: 'patch', input: '*** Begin Patch' },
    { type: 'custom_tool_call_output', call_id: 'X', output: 'done' },
  ],
  [
    { type: 'local_shell_call', id: 'lsh_1', call_id: 'X', action: { type: 'exec', command: ['ls'], env: {} } },
    { type: 'local_shell_call_output', id: 'X', output: '"a.ts"' },
  ],
  [
    { type: 'shell_call', call_id: 'X', action: { commands: ['ls', 'pwd'] } },
    { type: 'shell_call_output', call_id: 'X', output: [shell('a.ts', 0), shell('', 2)] },
  ],
  [
    { type: 'apply_patch_call', call_id: 'X', operation: { type: 'delete_file', path: 'a.ts' }, status: 'completed' },
    { type: 'apply_patch_call_output', call_id: 'X', status: 'failed', output: 'no such file' },
  ],
  [
    { type: 'computer_call', id: 'cu_1', call_id: 'X', action: { type: 'screenshot' }, status: 'completed' },
    { type: 'computer_call_output', call_id: 'X', output: { type: 'computer_screenshot', image_url: PIXEL } },
  ],
  [
    { type: 'tool_search_call', call_id: 'X', arguments: { query: 'read' }, execution: 'client' },
    { type: 'tool_search_output', call_id: 'X', execution: 'client', tools: [{ type: 'function', name: 'read' }] },
  ],
];

const CASES = PAIRS.map(([made, answered]) => ({ type: made.type, made, answered }));

/** Items that the server made or answered by itself. */
const SERVED: readonly Item[] = [
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
  { type: 'file_search_call', id: 'fs_1', status: 'completed' },
  { type: 'code_interpreter_call', id: 'ci_1', status: 'completed' },
  { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: PIXEL.slice(22) },
  { type: 'mcp_call', id: 'mcp_1', name: 'search', arguments: '{}', output: 'found' },
  { type: 'mcp_list_tools', id: 'mcpl_1', tools: [] },
  { type: 'mcp_approval_request', id: 'mcpr_1', name: 'search', arguments: '{}' },
  { type: 'mcp_approval_response' },
  { type: 'tool_search_call', call_id: null, arguments: {}, execution: 'server' },
  { type: 'tool_search_output', call_id: null, execution: 'server', tools: [] },
  { type: 'item_reference', id: 'msg_7' },
  { id: 'msg_8' },
  { type: 'a_kind_yet_to_come' },
];

function sizes(items: readonly Item[]): number[] {
  return readTurns(dialect, items).map(({ messages }) => messages.length);
}

describe('read', () => {
  test('reads the role', () => {
    const roles = [user(), { ...user(), type: 'message' }, { role: 'developer', content: 'a' }, say('b'), reasoning];
    expect(roles.map((item) => read(item).role)).toEqual(['user', 'user', 'system', 'assistant', 'assistant']);
    expect(roles.map((item) => read(item).words)).toEqual([true, true, true, true, false]);
  });

  test.each(CASES)('pairs $type with its output', ({ made, answered }) => {
    const { calls, role } = read(made);
    const { results, role: answering } = read(answered);
    expect(calls).toMatchObject([{ id: 'X', name: expect.stringMatching(/\w/) }]);
    expect(results).toMatchObject([{ id: 'X' }]);
    expect([role, answering]).toEqual(['assistant', 'tool']);
    expect(validateOpenaiResponses([made, answered])).toEqual([]);
  });

  test.each(SERVED)('expects no output for $type', (item) => {
    expect(read(item)).toMatchObject({
      role: 'assistant',
      calls: [],
      results: [],
      words: false,
      firm: item.type === 'tool_search_call',
    });
    expect(dialect.validate([item])).toEqual([]);
  });

  test('reads what a shell printed and how it ended', () => {
    const [result] = read(PAIRS[3]?.[1] as Item).results;
    expect(result?.content).toBe('a.ts\n\n[exit code: 0]\n\n\n[exit code: 2]');
  });

  test('counts images, files and sound by formula, also in outputs', () => {
    const parts = [image, { type: 'input_file', file_data: 'A'.repeat(9_000) }, { type: 'input_text', text: 'abcd' }];
    const message = read(user(parts));
    expect(message).toMatchObject({ chars: 4, media: 255 + 3_000 });
    expect(read(output('X', parts))).toMatchObject({ chars: 4, media: message.media });
    expect(read(user([{ type: 'input_audio', input_audio: { data: 'A'.repeat(32_000) } }]))).toMatchObject({
      chars: 0,
      media: 30,
    });
    expect(read(PAIRS[5]?.[1] as Item)).toMatchObject({ chars: 0, media: 255 });
    expect(read(SERVED[3] as Item)).toMatchObject({ chars: 0, media: 255 });
  });

  test('counts ciphertext as fewer tokens than text of its length', () => {
    const sealed = read({ ...reasoning, encrypted_content: 'g'.repeat(16_000) });
    expect(sealed).toMatchObject({ chars: 4, thinking: true, joined: true });
    expect(sealed.media).toBeGreaterThan(2_000);
    expect(sealed.media).toBeLessThan(3_000);
    expect(read(COMPACTION)).toMatchObject({ chars: 0, media: 588, firm: true, role: 'system' });
    expect(read({ ...reasoning, encrypted_content: 'g'.repeat(400) })).toMatchObject({ chars: 4, media: 0 });
    expect(read({ type: 'compaction', encrypted_content: 'g'.repeat(400) })).toMatchObject({ chars: 0, media: 0 });
  });

  test('weighs base64 and images for the limits of a request', () => {
    const parts = [image, { type: 'input_file', file_data: 'A'.repeat(9_000) }];
    const mediaSizes = { images: 1, bytes: image.image_url.length + 9_000, side: 1 };
    expect(read(user(parts)).mediaSizes).toMatchObject(mediaSizes);
    expect(read(output('X', parts)).mediaSizes).toMatchObject(mediaSizes);
    expect(read(PAIRS[5]?.[1] as Item).mediaSizes).toMatchObject({ images: 1, bytes: PIXEL.length });
    expect(read(SERVED[3] as Item).mediaSizes).toMatchObject({ images: 1, side: 1 });
    expect(read(user())).not.toHaveProperty('mediaSizes');
  });

  test('counts results of the server, and tools', () => {
    expect(read({ type: 'mcp_call', id: 'mcp_1', output: 'x'.repeat(500) }).chars).toBeGreaterThan(500);
    expect(read(PAIRS[6]?.[1] as Item).chars).toBeGreaterThan(10);
  });
});

describe('turns', () => {
  test('a response is one turn with all its outputs, even with text in between', () => {
    const items = [user(), reasoning, say('a'), call('A'), call('B'), output('B'), user('wait'), output('A'), say('c')];
    expect(sizes(items)).toEqual([1, 7, 1]);
  });

  test('a compaction is a turn of its own', () => {
    expect(sizes([user(), COMPACTION, reasoning, call('A'), output('A')])).toEqual([1, 1, 3]);
  });

  test('an approval stays with its request', () => {
    const asked: Item = { type: 'mcp_approval_request', id: 'mcpr_1', name: 'search', arguments: '{}' };
    expect(sizes([user(), asked, { type: 'mcp_approval_response' }, say('a'), user()])).toEqual([1, 3, 1]);
  });

  test('a program stays with its calls and their output', () => {
    const program: Item = { type: 'program', id: 'prog_1', call_id: 'P' };
    const caller = { type: 'program', caller_id: 'P' };
    const round = (id: string): Item[] => [
      { ...call(id), caller },
      { ...output(id), caller },
    ];
    const items = [user(), program, ...round('A'), ...round('B'), { type: 'program_output', call_id: 'P' }, user()];
    expect(sizes(items)).toEqual([1, 6, 1]);
    expect(sizes(items.slice(0, 4))).toEqual([1, 3]);
  });
});

describe('copies', () => {
  const texts = new Map([[0, 'short']]);

  test.each(CASES.slice(0, 5))('a masked output of $type is still one', ({ made, answered }) => {
    const before = JSON.stringify(answered);
    const masked = dialect.maskResults(answered, texts);
    expect(validateOpenaiResponses([made, masked])).toEqual([]);
    expect(JSON.stringify(masked)).toContain('short');
    expect(JSON.stringify(answered)).toBe(before);
    expect(dialect.maskResults(answered, new Map())).toBe(answered);
  });

  test('a list output becomes text', () => {
    const list = output('X', [{ type: 'input_text', text: lines(90) }, image]);
    expect(dialect.maskResults(list, texts)).toEqual(output('X', 'short'));
  });

  test('a masked local shell output is JSON; a masked shell output keeps how each command ended', () => {
    const [local, remote] = [PAIRS[2]?.[1], PAIRS[3]?.[1]].map(
      (item) => dialect.maskResults(item as Item, texts).output,
    );
    expect(local).toBe('"short"');
    expect(remote).toEqual([shell('short', 0), shell('', 2)]);
  });

  test('masked text has the form of what it replaces', () => {
    expect(dialect.maskText(user('long'), 'a')).toEqual(user('a'));
    expect(dialect.maskText(user([image]), 'a')).toEqual(user([{ type: 'input_text', text: 'a' }]));
    expect(dialect.maskText(say('long'), 'a')).toEqual(say('a'));
  });

  test.each(CASES)('answers a call of type $type', ({ made }) => {
    const answers = dialect.answer(read(made).calls, 'it was interrupted');
    expect(validateOpenaiResponses([made, ...answers])).toEqual([]);
    expect(sizes([made, ...answers])).toEqual([2]);
  });

  test.each(CASES)('quotes an output of type $type', ({ answered }) => {
    const quoted = dialect.quote(answered, new Set([0]));
    expect(validateOpenaiResponses(quoted)).toEqual([]);
    expect(quoted.map((item) => read(item).role)).toEqual(['user']);
    expect(dialect.text(quoted[0] as Item)).toContain('X');
    expect(dialect.quote(answered, new Set())).toEqual([answered]);
  });

  test('a quoted output loses nothing', () => {
    const quoted = (item: Item) => JSON.stringify(dialect.quote(item, new Set([0])));
    expect(quoted(output('X', [{ type: 'input_text', text: 'words' }, image]))).toContain(image.image_url);
    expect(quoted(PAIRS[5]?.[1] as Item)).toContain(PIXEL);
    expect(quoted(PAIRS[6]?.[1] as Item)).toContain('function');
    expect(quoted(PAIRS[3]?.[1] as Item)).toContain('exit code: 2');
  });

  test('reasoning without thinking is nothing', () => {
    expect(dialect.withoutThinking(reasoning)).toBeUndefined();
    expect(dialect.withoutThinking(call('A'))).toEqual(call('A'));
  });

  test('cache markers are counted, and removed from the front, in messages and outputs', () => {
    const mark = { prompt_cache_breakpoint: { mode: 'explicit' } };
    const parts = ['a', 'b', 'c'].map((text) => ({ type: 'input_text', text, ...mark }));
    const bare = ['a', 'b'].map((text) => ({ type: 'input_text', text }));
    for (const make of [user, (list: readonly unknown[]) => output('X', list)]) {
      expect(read(make(parts)).markers).toBe(3);
      expect(dialect.withMarkers(make(parts), 1)).toEqual(make([...bare, parts[2]]));
      expect(dialect.withMarkers(make(bare), 1)).toEqual(make(bare));
    }
  });
});

describe('recognizes', () => {
  test.each([
    [[user(), call('A')]],
    [[user([{ type: 'input_text', text: 'a' }])]],
    [[{ role: 'developer', content: 'a' }, user(), say('b')]],
    [[{ ...user(), type: 'message' }]],
    [[{ type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }, reasoning]],
    [[COMPACTION]],
    [[{ type: 'additional_tools', role: 'developer', tools: [] }]],
  ])('its own: %j', (items) => {
    expect(detectDialect(items).name).toBe('openai-responses');
  });

  test.each([
    ['openai-chat', [{ role: 'developer', content: 'a' }, user()]],
    ['openai-chat', [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }]],
    ['openai-chat', [user([{ type: 'input_audio', input_audio: { data: '' } }])]],
    ['openai-chat', [user(), { role: 'assistant', content: null, tool_calls: [] }]],
    ['anthropic', [user(), { type: 'message', role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] }]],
    ['anthropic', [user([{ type: 'image', source: {} }])]],
  ])('and leaves messages of %s alone: %j', (name, messages) => {
    expect(detectDialect(messages).name).toBe(name);
  });

  test('a log line is not an item', () => {
    expect(() => detectDialect([{ type: 'user', message: user() }])).toThrow(/unknown-format/);
  });
});

describe('in a window', () => {
  const round = (n: number): Item[] => [
    { ...reasoning, id: `rs_${n}` },
    { type: 'shell_call', call_id: `c${n}`, action: { commands: [`cat src/part_${n}.ts`] } },
    { type: 'shell_call_output', call_id: `c${n}`, output: [shell(lines(60, n), n % 2)] },
  ];
  const history = (n: number) => [user('Fix src/parse.ts'), ...Array.from({ length: n }, (_, i) => round(i)).flat()];

  test('the provider’s compaction stays untouched, fold after fold', async () => {
    const window = new ConversationWindow<Item>({ max_tokens: 6_000, max_messages: 0 });
    for (const n of [10, 25, 40]) {
      const items = history(n).toSpliced(7, 0, COMPACTION);
      const { messages, receipt } = await window.fit(items);
      expect(receipt?.dropped).toBeGreaterThan(0);
      expect(messages).toContain(COMPACTION);
      expect(validateOpenaiResponses(messages)).toEqual([]);
    }
    expect(window.state().dialect).toBe('openai-responses');
  });

  test('a trigger stays last', async () => {
    const window = new ConversationWindow<Item>({ max_tokens: 4_000, max_messages: 0 });
    const { messages } = await window.fit([...history(20), { type: 'compaction_trigger' }]);
    expect(messages.at(-1)).toEqual({ type: 'compaction_trigger' });
    expect(validateOpenaiResponses(messages)).toEqual([]);
  });

  test('shell outputs are masked in their own shape, and keep how they ended', async () => {
    const window = new ConversationWindow<Item>({ max_tokens: 12_000, max_messages: 0, prefer: 'memory' });
    const items = history(20);
    const { messages, receipt } = await window.fit(items);
    expect(validateOpenaiResponses(messages)).toEqual([]);
    expect(receipt?.masked).toBeGreaterThan(0);
    const masked = messages.find((item) => JSON.stringify(item.output)?.includes('recall m'));
    const handle = /recall (m\d+)/.exec(JSON.stringify(masked))?.[1] ?? '';
    expect((await window.recall(handle)).messages).toEqual([items[Number(handle.slice(1))]]);
  });

  test('a screenshot is dropped with its turn or stays as it is', async () => {
    const shot = (n: number): Item[] => [
      { type: 'computer_call', id: `cu_${n}`, call_id: `c${n}`, action: { type: 'screenshot' }, status: 'completed' },
      { type: 'computer_call_output', call_id: `c${n}`, output: { type: 'computer_screenshot', image_url: PIXEL } },
    ];
    const window = new ConversationWindow<Item>({ max_tokens: 2_000, max_messages: 0 });
    const items = [user(), ...Array.from({ length: 20 }, (_, n) => shot(n)).flat()];
    const { messages, receipt } = await window.fit(items);
    expect(receipt?.masked).toBe(0);
    expect(receipt?.dropped).toBeGreaterThan(5);
    expect(validateOpenaiResponses(messages)).toEqual([]);
  });

  test('a short list of output texts is not worth masking', async () => {
    const listed = (n: number): Item[] => [call(`c${n}`), output(`c${n}`, [{ type: 'input_text', text: 'ok' }])];
    const items = [user(), ...Array.from({ length: 30 }, (_, n) => listed(n)).flat()];
    const strategy: Strategy = {
      due: () => true,
      judge: (turns) => ({ verdicts: turns.map(() => 'mask'), note: 'none' }),
    };
    expect((await new ConversationWindow<Item>({ strategy }).fit(items)).messages).toEqual(items);
  });

  test('plain text has no format, the first item does, and nothing counts as an edit', async () => {
    const events: string[] = [];
    const window = new ConversationWindow<Item>({}, { onEvent: ({ type }) => events.push(type) });
    const start = [user(), { role: 'assistant', content: 'sure' }];
    await window.fit(start);
    expect(window.state().dialect).toBe('openai-chat');
    await window.fit([...start, call('A'), output('A')]);
    expect(window.state().dialect).toBe('openai-responses');
    expect(events).toEqual([]);
  });

  test('the same text in a part is not an edit', async () => {
    const events: string[] = [];
    const window = new ConversationWindow<Item>({}, { onEvent: ({ type }) => events.push(type) });
    await window.fit([user('go'), call('A'), output('A')]);
    await window.fit([user([{ type: 'input_text', text: 'go' }]), call('A'), output('A')]);
    expect(events).toEqual([]);
  });

  test('reasoning without a following item is refused', async () => {
    const window = new ConversationWindow<Item>({});
    await window.fit([user(), call('A'), output('A')]);
    const error = await window.fit([user(), call('A'), output('A'), reasoning, user()]).catch((reason) => reason);
    expect(isHoldfastError(error) && error.details).toMatchObject({ index: 3, rule: 'lone-reasoning' });
  });
});

test('tools sent as an item, and those that a search found, stay through every fold', async () => {
  const additional = {
    type: 'additional_tools',
    id: 'at_1',
    role: 'developer',
    tools: [{ type: 'custom', name: 'exec', format: { type: 'text' } }],
  };
  const found = [{ type: 'function', name: 'fetch', parameters: {}, defer_loading: true }];
  const search = { type: 'tool_search_call', call_id: 's', execution: 'client', arguments: { query: 'web' } };
  const output = { type: 'tool_search_output', call_id: 's', execution: 'client', tools: found };
  const history: object[] = [additional, { role: 'user', content: 'Go.' }, search, output];
  const window = new ConversationWindow<object>({ max_tokens: 4000, max_messages: 0 }, { dialect: 'openai-responses' });
  let folds = 0;
  for (let i = 0; i < 40; i++) {
    history.push(
      { type: 'custom_tool_call', id: `ctc_${i}`, call_id: `c${i}`, name: 'exec', input: `run(${i})` },
      { type: 'custom_tool_call_output', call_id: `c${i}`, output: `line ${i}\n`.repeat(100) },
    );
    const { messages, receipt } = await window.fit(history);
    if (receipt) folds++;
    expect(messages[0]).toEqual(additional);
    expect(messages).toContainEqual(search);
    expect(messages).toContainEqual(output);
  }
  expect(folds).toBeGreaterThanOrEqual(3);
});

test('what Codex tells the server alone does not count', () => {
  const { read } = openaiResponses<object>();
  const told = { internal_chat_message_metadata_passthrough: { turn_id: 'x'.repeat(500) } };
  for (const item of [
    { type: 'message', role: 'user', content: 'Go.' },
    { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'done' },
  ])
    expect(read({ ...item, ...told }).chars).toBe(read(item).chars);
});
