import { expect, test } from 'vitest';
import { stateOf } from './state.ts';

test('a state that an earlier version stored is read under the current names', () => {
  const state = { provider: 'claude-cli', sessionId: 's-1', sessionCost: 2, system: 'hash' };
  const old = { provider: 'claude-cli', session_id: 's-1', session_cost: 2, system: 'hash' };
  expect(stateOf(old, 'claude-cli')).toEqual(state);
  expect(stateOf(state, 'claude-cli')).toEqual(state);
  expect(stateOf({ provider: 'claude-cli', session_id: 's-1' }, 'claude-cli')).not.toHaveProperty('sessionCost');
  expect(stateOf(old, 'cursor-cli')).toBeUndefined();
  expect(stateOf({ ...old, session_id: '--help' }, 'claude-cli')).toBeUndefined();
});
