import type Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { withMarkers } from './markers.ts';

type Message = Anthropic.MessageParam;

const said = (text: string): Message => ({ role: 'user', content: text });
const blocks = (count: number): Message => ({
  role: 'user',
  content: Array.from({ length: count }, (_, at) => ({ type: 'text', text: `block ${at}` })),
});

/** The positions of markers, as message.block. */
function marked(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }, at) =>
    typeof content === 'string' ? [] : content.flatMap((block, i) => ('cache_control' in block ? [`${at}.${i}`] : [])),
  );
}

test('markers are at the note, at the last message of the previous request, and at the newest message', () => {
  const messages = [said('task'), said('note'), said('a'), said('b'), said('c')];
  expect(marked(withMarkers({ messages, note: 1, previous: 2 }, 20))).toEqual(['1.0', '2.0', '4.0']);
  expect(marked(withMarkers({ messages }, 20))).toEqual(['4.0']);
  expect(messages[4]).toEqual(said('c'));
});

test('with more blocks than a marker’s lookback, one more is placed in between, at most three in all', () => {
  const messages = [said('task'), said('note'), said('a'), blocks(15), blocks(15)];
  expect(marked(withMarkers({ messages, note: 1, previous: 2 }, 20))).toEqual(['2.0', '4.4', '4.14']);
});

test('right after a fold the new note is marked, whatever follows it', () => {
  const messages = [said('task'), said('note'), said('a'), blocks(15), blocks(15)];
  expect(marked(withMarkers({ messages, note: 1, previous: 0 }, 20))).toEqual(['0.0', '1.0', '4.14']);
});

test('thinking takes no marker: the block before it does', () => {
  const thinking = { type: 'thinking', thinking: 'hm', signature: 's' } as const;
  const messages: Message[] = [said('task'), { role: 'assistant', content: [{ type: 'text', text: 'x' }, thinking] }];
  expect(marked(withMarkers({ messages }, 20))).toEqual(['1.0']);
});
