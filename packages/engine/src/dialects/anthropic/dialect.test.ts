import { describe, expect, test } from 'vitest';
import type { Wire } from '../../../test/histories.ts';
import { violationsOf } from '../../../test/promises.ts';
import { assistant, lines, turn, user } from '../../../test/read-turns.ts';
import { anthropic, ConversationWindow } from '../../index.ts';
import type { AnthropicMessage } from './wire.ts';

describe('cache markers', () => {
  const marked = (text: string): Wire => ({
    role: 'user',
    content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }],
  });

  test('more than four from the start: the newest four are kept', async () => {
    const history = Array.from({ length: 13 }, (_, i) =>
      i % 2 === 0 ? marked(`question ${i}`) : assistant(`answer ${i}`),
    );
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
    const { messages } = await window.fit(history);
    expect(messages.map((message) => JSON.stringify(message).includes('cache_control'))).toEqual(
      history.map((_, i) => i % 2 === 0 && i >= 6),
    );
  });

  test('removed from folded messages do not come before those with another lifetime', async () => {
    const mark = (text: string, ttl: string): Wire => ({
      role: 'user',
      content: [{ type: 'text', text, cache_control: { type: 'ephemeral', ttl } }],
    });
    const chat = (ttl: string, marks: readonly number[], count: number) =>
      Array.from({ length: count }, (_, i) => {
        if (i % 2 === 1) return assistant(`answer ${i}`);
        return marks.includes(i)
          ? mark(`question ${i}`, ttl)
          : { role: 'user', content: [{ type: 'text', text: `question ${i}` }] };
      });
    const window = new ConversationWindow<Wire>({ max_messages: 20 }, { dialect: 'anthropic' });
    expect((await window.fit(chat('5m', [0, 20], 21))).receipt).toBeDefined();
    const { messages } = await window.fit(chat('1h', [20, 22], 23));
    expect(violationsOf('anthropic', messages)).toEqual([]);
  });

  test('more than four after a fold: the newest four are kept', async () => {
    const history = Array.from({ length: 61 }, (_, i) =>
      i % 2 === 0 ? marked(`question ${i}`) : assistant(`answer ${i}`),
    );
    const window = new ConversationWindow<Wire>({ max_messages: 40 }, { dialect: 'anthropic' });
    const { messages, receipt } = await window.fit(history);
    expect(receipt).toBeDefined();
    expect(messages.filter((message) => JSON.stringify(message).includes('cache_control'))).toEqual(
      [54, 56, 58, 60].map((i) => history[i]),
    );
  });
});

test('a system message inside an Anthropic conversation keeps its place between user and assistant', async () => {
  const history: Wire[] = [user('go')];
  for (let i = 0; i < 30; i++) {
    history.push(
      ...turn('anthropic', i, lines(20, i)),
      { role: 'system', content: `The time is ${i}.` },
      assistant(`so far ${i}`),
      user(`more ${i}`),
    );
  }
  for (const strategy of ['fold', 'sliding'] as const) {
    const window = new ConversationWindow<Wire>(
      { max_tokens: 3_000, max_messages: 0, strategy },
      { dialect: 'anthropic' },
    );
    for (let n = 1; n <= history.length; n += 5) {
      const { messages } = await window.fit(history.slice(0, n));
      expect(violationsOf('anthropic', messages)).toEqual([]);
    }
  }
});

test('append goes inside the last result, because text after results makes Claude end its turn', () => {
  const { append, read } = anthropic<AnthropicMessage>();
  const result = { type: 'tool_result', tool_use_id: 'a', content: 'done' };
  const added = { type: 'text', text: 'more' };
  const inside = (content: unknown, given: unknown) =>
    expect(
      append?.({ role: 'user', content: [result, { ...result, content: given }] as never }, 'more')?.content,
    ).toEqual([result, { ...result, content }]);
  inside([{ type: 'text', text: 'done' }, added], 'done');
  inside([{ type: 'text', text: 'done' }, added], [{ type: 'text', text: 'done' }]);
  inside([added], ' \n');
  inside([added], '');
  const words = { role: 'user', content: [result, { type: 'text', text: 'Go on.' }] };
  expect(append?.(words, 'more')?.content).toEqual([...words.content, added]);
  expect(append?.({ role: 'user', content: 'Go on.' }, 'more')?.content).toEqual([
    { type: 'text', text: 'Go on.' },
    added,
  ]);
  const references = { ...result, content: [{ type: 'tool_reference', tool_name: 'x' }] };
  expect(append?.({ role: 'user', content: [references] }, 'more')).toBeUndefined();
  expect(append?.({ role: 'assistant', content: 'Done.' }, 'more')).toBeUndefined();
  const longer = append?.({ role: 'user', content: [result] }, 'more') as AnthropicMessage;
  expect(read(longer)).toMatchObject({ role: 'tool', words: false });
});

test('a system message that only sets the effort passes, and stays with the prompt that it follows', async () => {
  const effort: Wire = { role: 'system', content: [], output_config: { effort: 'medium' } };
  const window = new ConversationWindow<Wire>(
    { max_tokens: 3000, max_messages: 0, repair: true },
    { dialect: 'anthropic' },
  );
  const history: Wire[] = [user('Go.'), effort];
  let folds = 0;
  for (let i = 0; i < 20; i++) {
    history.push(
      { role: 'assistant', content: [{ type: 'tool_use', id: `t${i}`, name: 'Bash', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: `line ${i}\n`.repeat(100) }] },
    );
    const { messages, receipt } = await window.fit(history);
    if (receipt) folds++;
    expect(messages.slice(0, 2)).toEqual([user('Go.'), effort]);
  }
  expect(folds).toBeGreaterThan(0);
});

describe('tools that a result makes available', () => {
  const called = (id: string, name: string): Wire => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id, name, input: { query: id } }],
  });
  const answered = (id: string, content: unknown): Wire => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content }],
  });
  const loaded = answered('search', [{ type: 'tool_reference', tool_name: 'WebFetch' }]);

  test('stay available through every fold, with the call that found them', async () => {
    const window = new ConversationWindow<Wire>({ max_tokens: 4000, max_messages: 0 }, { dialect: 'anthropic' });
    const history: Wire[] = [user('Go.'), called('search', 'ToolSearch'), loaded];
    let folds = 0;
    for (let i = 0; i < 40; i++) {
      history.push(called(`t${i}`, 'Bash'), answered(`t${i}`, `line ${i}\n`.repeat(100)));
      const { messages, receipt } = await window.fit(history);
      if (receipt) folds++;
      expect(messages).toContainEqual(loaded);
      expect(messages).toContainEqual(called('search', 'ToolSearch'));
    }
    expect(folds).toBeGreaterThanOrEqual(3);
  });

  test('stay as they are even if the newest turn is too large', async () => {
    const window = new ConversationWindow<Wire>({ max_tokens: 1500, max_messages: 0 }, { dialect: 'anthropic' });
    const both: Wire = {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'search', name: 'ToolSearch', input: {} },
        { type: 'tool_use', id: 'read', name: 'Bash', input: {} },
      ],
    };
    const references = {
      type: 'tool_result',
      tool_use_id: 'search',
      content: [{ type: 'tool_reference', tool_name: 'WebFetch' }],
    };
    const results: Wire = {
      role: 'user',
      content: [references, { type: 'tool_result', tool_use_id: 'read', content: 'a line\n'.repeat(3000) }],
    };
    const { messages } = await window.fit([user('Go.'), both, results]);
    expect(JSON.stringify(messages)).toContain(JSON.stringify(references));
  });

  test('by a search of the server, or added by a system message', () => {
    const searched = {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'a' }],
    };
    const { read } = anthropic<Wire>();
    const holds = (role: string, block: object) => read({ role, content: [block] }).firm;
    expect(holds('assistant', { type: 'tool_search_tool_result', tool_use_id: 's', content: searched })).toBe(true);
    expect(holds('system', { type: 'tool_addition', tool: { type: 'tool_reference', name: 'a' } })).toBe(true);
    expect(holds('system', { type: 'text', text: 'a' })).toBe(false);
  });
});
