import { describe, expect, test } from 'vitest';
import { ConversationWindow, type HoldfastError, isHoldfastError } from '../src/index.ts';
import type { ContentFormat, Wire } from './histories.ts';
import { violationsOf } from './promises.ts';

const user = (content: unknown): Wire => ({ role: 'user', content });
const assistant = (content: unknown): Wire => ({ role: 'assistant', content });

/** A call and its result in each wire format that has plain text in common with others. */
const CALLS: Readonly<Record<ContentFormat, readonly Wire[]>> = {
  anthropic: [
    assistant([{ type: 'tool_use', id: 'a', name: 'Read', input: {} }]),
    user([{ type: 'tool_result', tool_use_id: 'a', content: 'b' }]),
  ],
  'openai-chat': [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'Read', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'b' },
  ],
  'openai-responses': [
    { type: 'function_call', call_id: 'a', name: 'Read', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: 'b' },
  ],
  'ai-sdk': [
    assistant([{ type: 'tool-call', toolCallId: 'a', toolName: 'Read', input: {} }]),
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'Read', output: { type: 'text', value: 'b' } }],
    },
  ],
};
const FORMATS = Object.keys(CALLS) as ContentFormat[];

/** Beginnings in plain text that say nothing of the wire format; not all are allowed in all of them. */
const STARTS: Readonly<Record<string, readonly Wire[]>> = {
  'a question': [user('a'), assistant('b'), user('c')],
  'an assistant that speaks first': [assistant('hello'), user('b')],
  'a leading system message': [{ role: 'system', content: 's' }, user('a')],
  'a system message inside': [user('a'), assistant('b'), { role: 'system', content: 's' }, user('c')],
  'an assistant that says nothing': [user('a'), assistant(''), user('b')],
  'blocks of text': [user([{ type: 'text', text: 'a' }]), assistant([{ type: 'text', text: ' ' }]), user('c')],
  'many words': [
    user('a'),
    ...Array.from({ length: 30 }, (_, i) => [assistant(`answer ${i}`), user(`question ${i}`)]).flat(),
  ],
};

/** The view, or the rule that is broken and where. */
async function outcome(fitted: Promise<{ readonly messages: readonly Wire[] }>): Promise<unknown> {
  return fitted.then(
    ({ messages }) => messages,
    (error: HoldfastError) => {
      expect(isHoldfastError(error)).toBe(true);
      return { index: error.details.index, rule: error.details.rule };
    },
  );
}

describe.each(FORMATS)('when messages turn out to be %s', (format) => {
  test.each(Object.keys(STARTS))('after %s, the view is that of a window that saw all at once', async (name) => {
    const start = STARTS[name] ?? [];
    const whole = [...start, ...CALLS[format]];
    for (const repair of [false, true]) {
      const cold = await outcome(new ConversationWindow<Wire>({ repair }).fit(whole));
      const warm = new ConversationWindow<Wire>({ repair });
      await warm.fit(start, { rest: true });
      expect(await outcome(warm.fit(whole))).toEqual(cold);
      const partial = new ConversationWindow<Wire>();
      await partial.fit(start, { rest: true });
      const offset = start.length;
      if (!repair) expect(await outcome(partial.fit(CALLS[format], { offset }))).toEqual(cold);
      // What a part of a message is called is not for the window to judge.
      if (Array.isArray(cold) && name !== 'blocks of text') expect(violationsOf(format, cold)).toEqual([]);
    }
  });

  test('after folds, everything is decided again, and folded messages come back', async () => {
    const start = STARTS['many words'] ?? [];
    const whole = [...start, ...CALLS[format]];
    const window = new ConversationWindow<Wire>({ max_messages: 20 });
    window.pin(3);
    expect((await window.fit(start)).receipt?.fold).toBe(1);
    const { messages } = await window.fit(whole);
    expect(messages.length).toBeLessThanOrEqual(20);
    expect(violationsOf(format, messages)).toEqual([]);
    expect(messages).toContain(whole[3]);
    expect(messages.slice(-2)).toEqual(CALLS[format]);
    for (const [i, message] of whole.entries()) expect((await window.recall(`m${i}`)).messages).toEqual([message]);
    expect(window.state()).toMatchObject({ dialect: format, seen: whole.length, pins: [3] });
  });
});

test('a restored window knows that its wire format is settled', async () => {
  const history = [user('a'), ...CALLS.anthropic];
  const before = new ConversationWindow<Wire>();
  await before.fit(history);
  const window = new ConversationWindow<Wire>({}, { state: before.state() });
  const late = [...history, ...CALLS['openai-chat']];
  expect(await outcome(window.fit(late))).toEqual(await outcome(new ConversationWindow<Wire>().fit(late)));
  expect(window.state().dialect).toBe('anthropic');
});

describe('a call that fails or only previews leaves the wire format open', () => {
  test('after a failed fit', async () => {
    const window = new ConversationWindow<Wire>();
    const before = JSON.stringify(window.state());
    await expect(window.fit([user('a'), CALLS.anthropic[0] as Wire])).rejects.toMatchObject({
      details: { rule: 'unanswered-call' },
    });
    expect(JSON.stringify(window.state())).toBe(before);
    const { messages } = await window.fit([user('a'), ...CALLS['openai-chat']]);
    expect(messages).toHaveLength(3);
    expect(window.state().dialect).toBe('openai-chat');
  });

  test('after a preview, and after a failing archive', async () => {
    const long = [...(STARTS['many words'] ?? []), ...CALLS.anthropic];
    let isFull = true;
    const archive = {
      put: () => {
        if (isFull) throw new Error('disk full');
      },
      get: () => undefined,
    };
    const window = new ConversationWindow<Wire>({ max_messages: 20 }, { archive });
    const { revisions: _, ...before } = window.state();
    await window.compact(long, { preview: true });
    await expect(window.fit(long)).rejects.toThrow('disk full');
    expect(window.state()).toMatchObject(before);
    isFull = false;
    expect((await window.fit([user('a'), ...CALLS['openai-chat']])).messages).toHaveLength(3);
  });
});
