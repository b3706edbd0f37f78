import * as agent from '@holdfast/agent/config';
import * as engine from 'holdfast';
import { expect, test } from 'vitest';
import * as names from './names.ts';

test('help lists the providers, keys, strategies and preferences that there are, in their order', () => {
  expect(names.PROVIDER_TYPES).toEqual(agent.PROVIDER_TYPES);
  expect(names.KEY_VARIABLES).toEqual(agent.KEY_VARIABLES);
  expect(names.STRATEGY_NAMES).toEqual(engine.STRATEGY_NAMES);
  expect(names.PREFERENCES).toEqual(engine.PREFERENCES);
});
