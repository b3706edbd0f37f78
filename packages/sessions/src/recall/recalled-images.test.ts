import { expect, test } from 'vitest';
import type { RecalledMessages } from './recall-handle.ts';
import { recalledImages } from './recalled-images.ts';

const image = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };
const url = `data:image/png;base64,${image.data}`;

test.each<[string, unknown]>([
  ['Anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.data } }],
  ['Chat Completions', { type: 'image_url', image_url: { url } }],
  ['Responses', { type: 'input_image', image_url: url }],
  ['Gemini', { inlineData: { mimeType: 'image/png', data: image.data } }],
  ['the AI SDK', { type: 'file-data', ...image }],
  ['the AI SDK, in a file', { type: 'file', mediaType: 'image/png', data: { type: 'data', data: image.data } }],
  ['opencode', { type: 'file-data', mediaType: 'image/png', data: url }],
])('a picture in the form of %s is found', (_, block) => {
  const found = recalledImages({ content: [{ type: 'text', text: `see ${url}` }, block] } as RecalledMessages);
  expect(found).toEqual([image]);
});
