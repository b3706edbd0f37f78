import { aiSdk, anthropic } from 'holdfast';
import { expect, test } from 'vitest';
import type { PlacedMessage } from '../store.ts';
import { recalledText } from './recall-handle.ts';

/** A search that the provider ran itself, as the AI SDK has it. */
const found = { url: 'https://example.com', title: 'Tides', encryptedContent: 'QUJD'.repeat(100) };
const searched = {
  role: 'assistant',
  content: [
    {
      type: 'tool-call',
      toolCallId: 'a',
      toolName: 'web_search',
      input: { query: 'high tide' },
      providerExecuted: true,
    },
    { type: 'tool-result', toolCallId: 'a', toolName: 'web_search', output: { type: 'json', value: [found] } },
    { type: 'text', text: 'At noon.' },
  ],
};

test("what a provider's own tools were asked and found comes back, without bytes that nobody can read", () => {
  const messages = [{ handle: 'm1', message: searched }] as unknown as readonly PlacedMessage[];
  const text = recalledText({ session: {} as never, dialect: aiSdk(), messages });
  expect(text).toContain('At noon.');
  expect(text).toContain('"input":{"query":"high tide"}');
  expect(text).toContain('"title":"Tides"');
  expect(text).toContain('[encryptedContent, 400 characters]');
  expect(text).not.toContain('QUJD');
});

test('a long block of a result that is not plain text comes back, too', () => {
  const source = { type: 'text', media_type: 'text/plain', data: 'a line of the report\n'.repeat(500) };
  const content = [
    { type: 'document', source },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE'.repeat(5_000) } },
  ];
  const text = recalledText({ session: {} as never, dialect: anthropic(), messages: [], content });
  expect(text).toContain(JSON.stringify(source));
  expect(text).toContain('[data, 20000 characters]');
  expect(text).not.toContain('JVBE');
});
