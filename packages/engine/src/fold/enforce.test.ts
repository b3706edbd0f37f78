import { describe, expect, test } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { type ConversationHistoryConfig, ConversationWindow, type WindowParts } from '../index.ts';

const user = (content: unknown): Wire => ({ role: 'user', content });

const windowOf = (config: ConversationHistoryConfig = {}, parts: WindowParts<Wire> = {}) =>
  new ConversationWindow<Wire>(config, { dialect: 'anthropic', logger: { warn: () => {} }, ...parts });

describe('a newest result that is too large for any view', () => {
  const signed = (words: string) => ({ type: 'thinking', thinking: words, signature: `s ${words}` });
  const huge = 'line of text\n'.repeat(3_000);
  const waiting = {
    role: 'assistant',
    content: [
      signed('one'),
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
      { type: 'tool_use', id: 'c1', name: 'Read', input: {} },
    ],
  };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  const start = [user('Mend it.'), waiting, user([{ type: 'tool_result', tool_use_id: 'c1', content: huge }])];
  const thoughts = (view: readonly Wire[]) => JSON.stringify(view).match(/"signature":"s \w+"/g);

  test('is the only thing shortened: earlier thinking stays', async () => {
    const { messages } = await windowOf({ max_tokens: 2_000, max_messages: 0 }).fit(start);
    expect(JSON.stringify(messages)).toContain('recall m2');
    expect(thoughts(messages)).toEqual(['"signature":"s one"']);
  });

  test('shows its head and tail, within 8% of the room', async () => {
    const { messages } = await windowOf({ max_tokens: 6_000, max_messages: 0 }).fit(start);
    const shown = JSON.stringify(messages.at(-1)).split('line of text').length - 1;
    expect(shown).toBeGreaterThan(80);
    expect(shown).toBeLessThan((0.08 * 6_000 * 3) / 'line of text\n'.length + 1);
  });

  test('shows little of each where several such results came at once', async () => {
    const calls = Array.from({ length: 12 }, (_, i) => ({ type: 'tool_use', id: `c${i}`, name: 'Read', input: {} }));
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: huge }));
    const history = [user('Mend it.'), { role: 'assistant', content: calls }, user(results)];
    const { messages } = await windowOf({ max_tokens: 6_000, max_messages: 0 }).fit(history);
    const shown = JSON.stringify(messages.at(-1)).split('line of text').length - 1;
    expect(shown).toBeGreaterThan(12 * 10);
    expect(shown).toBeLessThan(12 * 40);
  });

  test('is shortened behind a trailing developer message too', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'Read', arguments: '{}' } };
    const history: Wire[] = [
      user('Mend it.'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: huge },
      { role: 'developer', content: 'Two minutes are left.' },
    ];
    const { messages } = await windowOf({ max_tokens: 2_000, max_messages: 0 }, { dialect: 'openai-chat' }).fit(
      history,
    );
    expect(messages.at(-1)).toEqual(history[3]);
    expect(JSON.stringify(messages)).toContain('recall m2');
  });

  test('removes all thinking if bound thinking follows it', async () => {
    const history = [...start, { role: 'assistant', content: [signed('two'), found, { type: 'text', text: 'Done.' }] }];
    const { messages } = await windowOf({ max_tokens: 2_000, max_messages: 0 }).fit(history, { rest: true });
    expect(JSON.stringify(messages)).toContain('recall m2');
    expect(thoughts(messages)).toBeNull();
  });
});
