import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { createDemands, demandsIn } from './demands.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });

test('a demand is a sentence in which the user says what must be done', () => {
  const said = user('The parser is slow.  Never touch\nsrc/legacy! Please keep the API.\n- You must run the tests.');
  expect(demandsIn(said)).toEqual(['Please keep the API.', 'You must run the tests.']);
  expect(demandsIn(user('Never touch\tsrc/legacy!'))).toEqual(['Never touch src/legacy!']);
});

test('text between tags is not a demand, nor is what others say', () => {
  expect(demandsIn(user('<system-reminder>You must never stop.</system-reminder> Go on with it.'))).toEqual([]);
  expect(demandsIn({ role: 'assistant', content: 'You must never stop.' })).toEqual([]);
  expect(demandsIn({ role: 'user', content: null })).toEqual([]);
});

test('only the first five of a message count', () => {
  const manual = user(Array.from({ length: 40 }, (_, n) => `You must follow rule ${n}.`).join(' '));
  expect(demandsIn(manual)).toHaveLength(5);
  expect(demandsIn(manual)[4]).toBe('You must follow rule 4.');
});

test('a demand is lost with its message, and returns if a note quotes it', () => {
  const history = [
    user('Fix it. Never edit the lock file.'),
    user('You must use tabs.'),
    user('thanks for all of that'),
  ];
  const follow = createDemands();
  expect(follow(history, history)).toEqual({ demands: 2, missing: [] });
  expect(follow(history, history.slice(1))).toEqual({ demands: 2, missing: [0] });
  const note = user('Note: the user said "Never edit   the lock file." at m0');
  expect(follow(history, [note, ...history.slice(2)])).toEqual({ demands: 2, missing: [1] });
  const more = [...history, user('Please hurry up a bit.')];
  expect(follow(more, [note, ...more.slice(2)])).toEqual({ demands: 3, missing: [1] });
});
