import type { ConversationHistoryConfig } from '../config.ts';
import type { Budget } from '../size/budget.ts';
import { budgetOf } from './core.ts';
import { createCore } from './create-core.ts';

/** The budget of a window with this configuration, before anything is said. Throws BAD_CONFIG with the key. */
export function configuredBudget(
  config: ConversationHistoryConfig,
  logger: { warn(message: string): void } = { warn: () => undefined },
): Budget {
  return budgetOf(createCore(config, { logger }));
}
