import { expect, test } from 'vitest';
import { parseTranscript } from './transcript.ts';

const jsonl = (...values: unknown[]): string => values.map((value) => JSON.stringify(value)).join('\r\n');

test('reads OpenAI chat and keeps the native messages', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
  const transcript = parseTranscript(
    `${jsonl({ meta: { format: 'openai-chat', id: 7 } }, user, { role: 'assistant' })}\n\n`,
  );
  expect(transcript.meta).toEqual({ format: 'openai-chat', id: 7 });
  expect(transcript.native).toEqual([user, { role: 'assistant' }]);
  expect(transcript.messages).toEqual([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null },
  ]);
});

test('converts Anthropic messages', () => {
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] };
  const { messages } = parseTranscript(jsonl({ meta: { format: 'anthropic' } }, result));
  expect(messages).toEqual([{ role: 'tool', tool_call_id: 'a', content: 'ok' }]);
});

test('says what is wrong, and where', () => {
  const meta = { meta: { format: 'openai-chat' } };
  expect(() => parseTranscript('')).toThrow('line 1 is not {"meta": …}');
  expect(() => parseTranscript(jsonl({ role: 'user' }))).toThrow('line 1 is not {"meta": …}');
  expect(() => parseTranscript(`${jsonl(meta)}\n{"role":`)).toThrow('line 2 is not JSON');
  expect(() => parseTranscript(jsonl(meta, { role: 'user' }, 7))).toThrow('message 1 has no role');
  expect(() => parseTranscript(jsonl({ meta: { format: 'gemini' } }))).toThrow('format "gemini" cannot be replayed');
});
