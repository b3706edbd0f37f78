import type { ChatBounds } from '@holdfast/agent/chat';
import type { FlagValue, LoadedConfig } from '@holdfast/agent/config';
import type { ChatFlags } from './chat.ts';

/** Nobody watches a pipe. No measurement supports these: few prompts take a tenth of them. */
const IN_A_PIPE = { max_cost: 10, max_minutes: 60 } as const;

/** What the flags say of a chat's bounds, by the keys that they stand over. Pure. */
export function boundFlags({ maxCost, maxMinutes, maxRounds }: ChatFlags): Readonly<Record<string, FlagValue>> {
  return {
    'execution.max_cost': { value: maxCost, flag: '--max-cost' },
    'execution.max_minutes': { value: maxMinutes, flag: '--max-minutes' },
    'execution.max_rounds': { value: maxRounds, flag: '--max-rounds' },
  };
}

/** The bounds of a chat by its configuration; in a pipe there are some where nothing is given. */
export function boundsOf({ config: { execution }, sources }: LoadedConfig): ChatBounds {
  const isPiped = process.stdin.isTTY !== true;
  const within = (key: keyof typeof IN_A_PIPE) =>
    isPiped && sources[`execution.${key}`]?.type === 'default' ? IN_A_PIPE[key] : execution[key];
  return { max_rounds: execution.max_rounds ?? 0, max_cost: within('max_cost'), max_minutes: within('max_minutes') };
}
