import { expect, test } from 'vitest';
import { contentText } from './text.ts';

test('reads files that are text, and names other files', () => {
  expect(contentText([{ type: 'file', data: { type: 'text', text: 'words' }, mediaType: 'text/plain' }])).toBe('words');
  expect(
    contentText([
      { type: 'image-data', data: 'AAAA' },
      { type: 'file', data: 'AAAA' },
    ]),
  ).toBe('[image-data]\n[file]');
});
