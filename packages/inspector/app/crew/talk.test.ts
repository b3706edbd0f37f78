import { expect, test } from 'vitest';
import { after, type CrewEvent } from './events.ts';
import { withoutMarkers } from './markers.ts';
import { NOTHING, settled, talkOf } from './talk.ts';

test('signals of the crew are hidden, other brackets are not', () => {
  expect(withoutMarkers('To the clerk. [ROUTE_CLERK]')).toBe('To the clerk.');
  expect(withoutMarkers('Which one? [ASK NOW]')).toBe('Which one?');
  expect(withoutMarkers('a[0] [TODO] [x](https://a.example) [A]')).toBe('a[0] [TODO] [x](https://a.example) [A]');
  expect(withoutMarkers('To the clerk. [ROUTE_CL', true)).toBe('To the clerk.');
  expect(withoutMarkers('To the clerk. [ROUTE_CL')).toBe('To the clerk. [ROUTE_CL');
});

test('events grow a conversation: words, calls with their output, gauges and costs', () => {
  const events: CrewEvent[] = [
    { type: 'agent-start', agent: 'clerk' },
    { type: 'text-delta', agent: 'clerk', text: 'I ' },
    { type: 'text-delta', agent: 'clerk', text: 'look.' },
    { type: 'call-start', agent: 'clerk', id: 'a', name: 'look', input: {} },
    { type: 'call-end', agent: 'clerk', id: 'a', failed: false },
    { type: 'history-append', messages: [{ role: 'tool', content: 'seen', tool_call_id: 'a' }] },
    { type: 'usage-report', agent: 'clerk', cost: 0.25 },
    {
      type: 'view-ready',
      agent: 'clerk',
      messages: 5,
      tokens: 50,
      estimated: false,
      max: { messages: 10, tokens: null },
    },
    { type: 'agent-end', agent: 'clerk' },
  ];
  const talk = events.reduce(after, NOTHING);
  const call = { id: 'a', name: 'look', input: '{}', state: 'done', output: 'seen' };
  expect(talk.said).toEqual([{ who: 'clerk', role: 'agent', pieces: ['I look.', call], isGrowing: false }]);
  expect(talk.lanes.clerk).toMatchObject({ isOn: false, cost: 0.25, size: { share: 0.5 } });
});

test('an agent that said nothing leaves nothing behind, and reasons are shown', () => {
  const begun = after(NOTHING, { type: 'agent-start', agent: 'clerk' });
  expect(settled(begun).said).toEqual([]);
  const ended = after(begun, { type: 'result', result: { status: 'cancelled', reason: 'the request was cancelled' } });
  expect(settled(ended).said).toEqual([{ who: 'crew', role: 'problem', pieces: ['the request was cancelled'] }]);
});

test('stored messages read as what was said', () => {
  const base = { handle: 'm1', time: 0, fate: { type: 'kept' as const } };
  const call = { type: 'call' as const, id: 'a', name: 'look', input: '{}' };
  const said = talkOf([
    { ...base, index: 0, role: 'user', parts: [{ type: 'text', text: 'hi' }] },
    { ...base, index: 1, role: 'assistant', name: 'clerk', parts: [{ type: 'text', text: 'I look.' }, call] },
    { ...base, index: 2, role: 'tool', parts: [{ type: 'result', id: 'a', text: 'seen', failed: false }] },
    { ...base, index: 3, role: 'assistant', name: 'clerk', parts: [{ type: 'text', text: 'Seen.' }] },
  ]);
  expect(said.map(({ who, pieces }) => [who, pieces.length])).toEqual([
    ['you', 1],
    ['clerk', 3],
  ]);
  expect(said[1]?.pieces[1]).toMatchObject({ output: 'seen' });
});
