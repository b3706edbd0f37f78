import { describe, expect, test } from 'vitest';
import type { Dialect } from '../dialect.ts';
import { anthropic } from '../dialects/anthropic/dialect.ts';
import type { AnthropicBlock, AnthropicMessage } from '../dialects/anthropic/wire.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import type { OpenaiChatMessage } from '../dialects/openai-chat/wire.ts';
import { isHoldfastError } from '../errors.ts';
import { readTurns } from './read-turns.ts';

const text: AnthropicBlock = { type: 'text', text: 'well' };
const call = (id: string): AnthropicBlock => ({ type: 'tool_use', id, name: 'read', input: {} });
const result = (id: string): AnthropicBlock => ({ type: 'tool_result', tool_use_id: id, content: 'done' });
const user = (...content: AnthropicBlock[]): AnthropicMessage => ({ role: 'user', content });
const assistant = (...content: AnthropicBlock[]): AnthropicMessage => ({ role: 'assistant', content });

function lengths<M>(dialect: Dialect<M>, messages: readonly M[]): number[] {
  return readTurns(dialect, messages).map((group) => group.messages.length);
}

function refusal<M>(dialect: Dialect<M>, messages: readonly M[]): unknown {
  try {
    readTurns(dialect, messages);
  } catch (error) {
    if (isHoldfastError(error)) return error.details;
    throw error;
  }
  return undefined;
}

describe('readTurns', () => {
  test('keeps calls, their results and words after them together', () => {
    const history = [
      user(text),
      assistant(call('A'), call('B')),
      user(result('B'), result('A'), text),
      assistant(text),
    ];
    expect(lengths(anthropic(), history)).toEqual([1, 2, 1]);
  });

  test('in Anthropic, all results for a message are in the next one', () => {
    const split = [user(text), assistant(call('A'), call('B')), user(result('A')), user(result('B'))];
    expect(refusal(anthropic(), split)).toMatchObject({ rule: 'unanswered-call', index: 1, ids: ['B'] });
  });

  test('in Anthropic, a result after anything else is an error', () => {
    const late = [user(text), assistant(call('A')), user(text, result('A'))];
    expect(refusal(anthropic(), late)).toMatchObject({ rule: 'interrupted-call', index: 2, ids: ['A'] });
    const partly = [user(text), assistant(call('A'), call('B')), user(result('A'), text, result('B'))];
    expect(refusal(anthropic(), partly)).toMatchObject({ rule: 'unanswered-call', index: 1, ids: ['B'] });
  });

  test('in chat, each message has one result', () => {
    const tool_calls = ['A', 'B'].map((id) => ({ id, function: { name: 'read', arguments: '{}' } }));
    const tool = (id: string): OpenaiChatMessage => ({ role: 'tool', tool_call_id: id, content: 'done' });
    const calls: OpenaiChatMessage = { role: 'assistant', content: null, tool_calls };
    expect(lengths(openaiChat(), [calls, tool('B'), tool('A')])).toEqual([3]);
    expect(refusal(openaiChat(), [calls, tool('B')])).toMatchObject({ rule: 'unanswered-call', index: 0, ids: ['A'] });
  });
});
