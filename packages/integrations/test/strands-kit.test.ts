import {
  DocumentBlock,
  ImageBlock,
  Message,
  ReasoningBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '@strands-agents/sdk';
import { expect, test } from 'vitest';
import { fromWire, toWire } from '../src/strands/messages.ts';

const image = new ImageBlock({ format: 'png', source: { bytes: new Uint8Array([1, 2, 3]) } });

test.each([
  ['words', 'user', new TextBlock('Hello.')],
  ['an image', 'user', image],
  ['a call', 'assistant', new ToolUseBlock({ name: 'read', toolUseId: 'a', input: { path: 'x' } })],
  ['reasoning', 'assistant', new ReasoningBlock({ text: 'Hm.', signature: 's' })],
  ['a result', 'user', new ToolResultBlock({ toolUseId: 'a', status: 'success', content: [new TextBlock('text')] })],
  ['a failed result', 'user', new ToolResultBlock({ toolUseId: 'a', status: 'error', content: [new TextBlock('no')] })],
  [
    'an image as a result',
    'user',
    new ToolResultBlock({ toolUseId: 'a', status: 'success', content: [image, new TextBlock('seen')] }),
  ],
] as const)('a copy of a message with %s says the same', (_, role, block) => {
  const message = new Message({ role, content: [block] });
  const { trackingId: _mine, ...before } = message.toJSON();
  const { trackingId: _other, ...after } = fromWire(toWire(message)).toJSON();
  expect(after).toEqual(before);
});

test('bytes are base64 in the log, and a document has its title', () => {
  const document = new DocumentBlock({ name: 'report', format: 'pdf', source: { bytes: new Uint8Array([1, 2, 3]) } });
  expect(toWire(new Message({ role: 'user', content: [image, document] })).content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
    { type: 'document', title: 'report', source: { type: 'base64', media_type: 'application/pdf', data: 'AQID' } },
  ]);
});
