import {
  DocumentBlock,
  ImageBlock,
  Message,
  ReasoningBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  VideoBlock,
} from '@strands-agents/sdk';
import { expect, test } from 'vitest';
import { fromWire, toWire } from '../src/strands/messages.ts';

const bytes = new Uint8Array([1, 2, 3]);
const image = new ImageBlock({ format: 'png', source: { bytes } });
const pdf = new DocumentBlock({ name: 'report', format: 'pdf', source: { bytes } });
const inBucket = { type: 's3' as const, uri: 's3://bucket/one.png' };

test.each([
  ['words', 'user', new TextBlock('Hello.')],
  ['an image', 'user', image],
  ['an image on the web', 'user', new ImageBlock({ format: 'png', source: { url: 'https://example.com/a.png' } })],
  ['an image in a bucket', 'user', new ImageBlock({ format: 'png', source: { location: inBucket } })],
  ['a document', 'user', pdf],
  ['a document of words', 'user', new DocumentBlock({ name: 'notes', format: 'md', source: { text: '# Hello' } })],
  ['a film', 'user', new VideoBlock({ format: 'mp4', source: { bytes } })],
  ['a call', 'assistant', new ToolUseBlock({ name: 'read', toolUseId: 'a', input: { path: 'x' } })],
  ['reasoning', 'assistant', new ReasoningBlock({ text: 'Hm.', signature: 's' })],
  ['a result', 'user', new ToolResultBlock({ toolUseId: 'a', status: 'success', content: [new TextBlock('text')] })],
  ['a failed result', 'user', new ToolResultBlock({ toolUseId: 'a', status: 'error', content: [new TextBlock('no')] })],
  [
    'an image as a result',
    'user',
    new ToolResultBlock({ toolUseId: 'a', status: 'success', content: [image, new TextBlock('seen')] }),
  ],
  ['a document as a result', 'user', new ToolResultBlock({ toolUseId: 'a', status: 'success', content: [pdf] })],
] as const)('a copy of a message with %s says the same', (_, role, block) => {
  const message = new Message({ role, content: [block] });
  const { trackingId: _mine, ...before } = message.toJSON();
  // A store keeps JSON.
  const { trackingId: _other, ...after } = fromWire(JSON.parse(JSON.stringify(toWire(message)))).toJSON();
  expect(after).toEqual(before);
});

test('bytes are base64 in the log, and a document has its title', () => {
  expect(toWire(new Message({ role: 'user', content: [image, pdf] })).content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
    { type: 'document', title: 'report', source: { type: 'base64', media_type: 'application/pdf', data: 'AQID' } },
  ]);
});
