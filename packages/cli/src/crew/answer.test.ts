import { expect, test } from 'vitest';
import { waitingLines } from './answer.ts';

test('repeats the command with a session, quoted for a shell', () => {
  expect(waitingLines('my crew.yml', "it's $5", { store: '/tmp/a.db', maxMessages: '9' }, 'q-1')).toEqual([
    'the crew waits for your answer. Ask in a session, then answer there:',
    `  holdfast crew run "my crew.yml" 'it'\\''s $5' --session q-1 --store /tmp/a.db --max-messages 9`,
    '  holdfast crew run "my crew.yml" "YOUR ANSWER" --session q-1 --store /tmp/a.db --max-messages 9',
  ]);
  expect(waitingLines('crew.yml', 'slow', { session: 'ticket-7', provider: 'stand-in' }, 'q-1')).toEqual([
    'the crew waits for your answer. Answer with:',
    '  holdfast crew run crew.yml "YOUR ANSWER" --session ticket-7 --provider stand-in',
  ]);
});
