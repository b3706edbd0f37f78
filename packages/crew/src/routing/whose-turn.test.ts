import { expect, test } from 'vitest';
import type { CrewMessage } from '../config/config.ts';
import { crewConfig } from '../config/load.ts';
import { whoseTurn } from './whose-turn.ts';

const crew = crewConfig({
  entry: 'lead',
  agents: {
    lead: { role: 'x', hand_offs: ['clerk', 'checks'], signals: { '[DONE]': 'clerk', '[DONE]!': 'last' } },
    asker: { role: 'x', pause: true, hand_offs: ['clerk'] },
    clerk: { role: 'x', next: 'last' },
    last: { role: 'x', terminal: true },
  },
  groups: { checks: { agents: ['asker', 'clerk'], join: 'lead' } },
});
const user = (content: string, name?: string): CrewMessage => ({ role: 'user', content, ...(name ? { name } : {}) });
const system: CrewMessage = { role: 'system', content: 'Be brief.' };
const by = (name: string, content: string): CrewMessage => ({ role: 'assistant', name, content });
const calls = (name: string): CrewMessage[] => [
  {
    role: 'assistant',
    name,
    content: '',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'a', content: 'seen' },
];

test.each<[string, CrewMessage[], object]>([
  [
    'a note between a question and its reply: the agent that asked',
    [user('go'), by('asker', 'Which?'), by('holdfast_note', '[2 messages]'), user('that')],
    { type: 'agent', agent: 'asker' },
  ],
  ['nothing was said: the entry', [], { type: 'agent', agent: 'lead' }],
  ['the user spoke: the entry', [user('hi')], { type: 'agent', agent: 'lead' }],
  [
    'the signal of a hand-off',
    [user('hi'), by('asker', '[ROUTE_CLERK]')],
    { type: 'agent', agent: 'clerk', by: 'signal' },
  ],
  ['a signal of its own', [user('hi'), by('lead', 'so [DONE]')], { type: 'agent', agent: 'clerk', by: 'signal' }],
  [
    'of two that begin the same, the longer one',
    [user('hi'), by('lead', 'so [DONE]!')],
    { type: 'agent', agent: 'last', by: 'signal' },
  ],
  [
    'of several, the last',
    [user('hi'), by('lead', '[DONE] no: [ROUTE_CHECKS]')],
    { type: 'group', group: 'checks', by: 'signal' },
  ],
  [
    'the signal of another agent does not count',
    [user('hi'), by('last', '[ROUTE_CLERK]')],
    { type: 'end', agent: 'last' },
  ],
  [
    'a group is done: the agent that joins',
    [user('hi'), user('[asker] x', 'checks')],
    { type: 'agent', agent: 'lead', by: 'join' },
  ],
  ['no signal: the next', [user('hi'), by('clerk', 'done')], { type: 'agent', agent: 'last', by: 'next' }],
  ['no signal, and it pauses', [user('hi'), by('asker', 'which?')], { type: 'pause', agent: 'asker' }],
  [
    'the user answers a pause: the agent that asked',
    [user('hi'), by('asker', 'which?'), user('this')],
    { type: 'agent', agent: 'asker' },
  ],
  [
    'the user continues after the end: the entry',
    [user('hi'), by('last', 'bye'), user('hi again')],
    { type: 'agent', agent: 'lead' },
  ],
  ['only a system message: the entry', [system], { type: 'agent', agent: 'lead' }],
  ['a system message, and the user spoke: the entry', [system, user('hi')], { type: 'agent', agent: 'lead' }],
  [
    'a system message after an answer changes nothing',
    [user('hi'), by('asker', 'which?'), system],
    { type: 'pause', agent: 'asker' },
  ],
  [
    'nor does a reply of the user after it',
    [user('hi'), by('asker', 'which?'), system, user('this')],
    { type: 'agent', agent: 'asker' },
  ],
  [
    'a name that every object has is not a group',
    [user('hi'), by('asker', 'which?'), user('this', 'constructor')],
    { type: 'agent', agent: 'asker' },
  ],
  [
    'results without an answer: the agent that called',
    [user('hi'), ...calls('clerk')],
    { type: 'agent', agent: 'clerk' },
  ],
  ['an assistant without a name: the end', [user('hi'), { role: 'assistant', content: 'x' }], { type: 'end' }],
  ['an agent that no longer exists: the end', [user('hi'), by('gone', '[ROUTE_CLERK]')], { type: 'end' }],
])('%s', (_, history, turn) => {
  expect(whoseTurn(crew, history)).toEqual(turn);
});
