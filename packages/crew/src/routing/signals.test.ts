import { expect, test } from 'vitest';
import { crewConfig } from '../config/load.ts';
import { handOffText } from './hand-off.ts';
import { signalIn, signalsOf } from './signals.ts';

test('prefers the longer of two signals if one contains the other', () => {
  const signals = [
    { signal: 'DONE', to: 'a' },
    { signal: 'NOT DONE', to: 'b' },
  ];
  expect(signalIn('It is NOT DONE', signals)?.to).toBe('b');
  expect(signalIn('NOT DONE? No: it is DONE', signals)?.to).toBe('a');
});

test('a hand-off by the tool ignores signals in its message', () => {
  const crew = crewConfig({
    entry: 'lead',
    agents: { lead: { role: 'x', hand_offs: ['clerk', 'boss'] }, clerk: { role: 'x' }, boss: { role: 'x' } },
  });
  const lead = crew.agents.lead;
  if (!lead) throw new Error('no lead');
  const text = handOffText(lead, { to: 'clerk', message: 'If in doubt say [ROUTE_BOSS].' }, 'Over.');
  expect(text).toBe('Over.\n\nIf in doubt say [ROUTE_BOSS]. [ROUTE_CLERK]');
  expect(signalIn(text, signalsOf(lead))?.to).toBe('clerk');
});
