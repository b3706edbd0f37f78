import { describe, expect, test } from 'vitest';
import { toAiSdk } from '../../test/convert-ai-sdk.ts';
import { CONTENT_FORMATS, type Format, type Wire } from '../../test/histories.ts';
import { ConversationWindow, type HoldfastError, isHoldfastError } from '../index.ts';

const user = (content: string): Wire => ({ role: 'user', content });
const assistant = (content: string): Wire => ({ role: 'assistant', content });

function calls(format: Format, ...ids: string[]): Wire[] {
  if (format === 'ai-sdk') return toAiSdk(calls('openai-chat', ...ids), 'openai-chat');
  if (format === 'anthropic') {
    const content = ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }));
    return [{ role: 'assistant', content }];
  }
  if (format === 'openai-responses')
    return ids.map((id) => ({ type: 'function_call', call_id: id, name: 'Bash', arguments: '{"command":"ls"}' }));
  const tool_calls = ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'Bash', arguments: '{"command":"ls"}' },
  }));
  return [{ role: 'assistant', content: null, tool_calls }];
}

function results(format: Format, ...ids: string[]): Wire[] {
  if (format === 'ai-sdk') return toAiSdk(results('openai-chat', ...ids), 'openai-chat');
  if (format === 'openai-chat') return ids.map((id) => ({ role: 'tool', tool_call_id: id, content: `done ${id}` }));
  if (format === 'openai-responses')
    return ids.map((id) => ({ type: 'function_call_output', call_id: id, output: `done ${id}` }));
  return [
    { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `done ${id}` })) },
  ];
}

interface Broken {
  readonly name: string;
  readonly rule: string | RegExp;
  /** The message at fault. */
  readonly index: (format: Format) => number;
  readonly history: (format: Format) => Wire[];
  /** Formats in which it breaks no rule. */
  readonly except?: Format;
}

const BROKEN: readonly Broken[] = [
  {
    name: 'a call without a result at the end',
    rule: 'unanswered-call',
    index: () => 1,
    history: (format) => [user('go'), ...calls(format, 'a')],
  },
  {
    name: 'one of two calls without a result at the end',
    rule: 'unanswered-call',
    index: () => 1,
    history: (format) => [user('go'), ...calls(format, 'a', 'b'), ...results(format, 'a')],
  },
  {
    name: 'a call without a result in the middle',
    rule: 'unanswered-call',
    index: () => 1,
    history: (format) => [user('go'), ...calls(format, 'a'), assistant('well'), user('and?')],
  },
  {
    name: 'a result without a call',
    rule: 'orphan-result',
    index: () => 2,
    history: (format) => [user('go'), assistant('well'), ...results(format, 'x')],
  },
  {
    name: 'a second result for a call',
    rule: /double-result|orphan-result/,
    index: () => 3,
    history: (format) => [user('go'), ...calls(format, 'a'), ...results(format, 'a'), ...results(format, 'a')],
  },
  {
    name: 'a user message between call and result',
    except: 'openai-responses',
    rule: 'interrupted-call',
    index: () => 2,
    history: (format) => [user('go'), ...calls(format, 'a'), user('wait'), ...results(format, 'a')],
  },
  {
    name: 'the same id for two calls of a response',
    rule: 'duplicate-call-id',
    index: (format) => (format === 'openai-responses' ? 2 : 1),
    history: (format) => [user('go'), ...calls(format, 'a', 'a'), ...results(format, 'a', 'a')],
  },
];

async function failure(promise: Promise<unknown>): Promise<HoldfastError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isHoldfastError(error)) throw new Error(`expected a HoldfastError, got ${String(error)}`);
  return error;
}

describe.each(CONTENT_FORMATS)('a broken history in %s', (format) => {
  const broken = BROKEN.filter(({ except }) => except !== format);

  test.each(broken)('refuses $name with index, rule and fix', async ({ rule, index, history }) => {
    const window = new ConversationWindow<Wire>({}, { dialect: format });
    const { code, details, message } = await failure(window.fit(history(format)));
    expect(code).toBe('INVALID_HISTORY');
    expect(details).toMatchObject({
      index: index(format),
      rule: expect.stringMatching(rule),
      fix: expect.stringMatching(/\w/),
    });
    expect(message).toContain(`message ${details.index}`);
    expect(message).toContain(String(details.rule));
    expect(message).toContain(String(details.fix));
  });

  test.each(broken)('$name leaves the window as it was', async ({ history }) => {
    const events: string[] = [];
    const window = new ConversationWindow<Wire>(
      { max_messages: 10 },
      { dialect: format, onEvent: ({ type }) => events.push(type) },
    );
    const good = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? user(`question ${i}`) : assistant(`answer ${i}`)));
    const { messages } = await window.fit(good);
    const state = JSON.stringify(window.state());
    const shift = good.length;
    const { details } = await failure(window.fit([...good, ...history(format)]));
    expect(details.index).toBeGreaterThanOrEqual(shift);
    expect(JSON.stringify(window.state())).toBe(state);
    events.length = 0;
    expect((await window.fit(good)).messages).toEqual(messages);
    expect((await window.fit([...good, user('more')])).messages.at(-1)).toEqual(user('more'));
    expect(events).not.toContain('history-rewritten');
  });

  test('an edit that breaks the history leaves the window as it was', async () => {
    const events: string[] = [];
    const window = new ConversationWindow<Wire>(
      { max_messages: 10 },
      { dialect: format, onEvent: ({ type }) => events.push(type) },
    );
    const good = Array.from({ length: 31 }, (_, i) => (i % 2 === 0 ? user(`question ${i}`) : assistant(`answer ${i}`)));
    const { messages } = await window.fit(good);
    const state = JSON.stringify(window.state());
    events.length = 0;
    await failure(window.fit([...good.slice(0, 8), ...calls(format, 'a')]));
    expect(events).toEqual([]);
    expect(JSON.stringify(window.state())).toBe(state);
    expect((await window.fit(good)).messages).toEqual(messages);
  });
});

test('refuses a duplicate call id if the API does', async () => {
  const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
  const history = [user('go'), ...calls('anthropic', 'a'), ...results('anthropic', 'a')];
  await window.fit(history);
  const { code, details } = await failure(
    window.fit([...history, ...calls('anthropic', 'a'), ...results('anthropic', 'a')]),
  );
  expect(code).toBe('INVALID_HISTORY');
  expect(details).toMatchObject({ rule: 'duplicate-call-id', index: 3 });
});

test('refuses messages in an unknown format', async () => {
  const window = new ConversationWindow();
  const { code, details } = await failure(window.fit([{ role: 'user', content: 'hi' }, { parts: ['hi'] }]));
  expect(code).toBe('INVALID_HISTORY');
  expect(details).toMatchObject({ index: 1 });
});
