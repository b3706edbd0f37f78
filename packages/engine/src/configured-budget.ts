import type { ConversationHistoryConfig } from './config.ts';
import { withEveryPart } from './every-part.ts';
import type { Budget } from './size/budget.ts';
import { budgetOf } from './window/core.ts';
import { createCore } from './window/create-core.ts';

/** The budget of a window with this configuration, before anything is said. Throws BAD_CONFIG with the key. */
export function configuredBudget(
  config: ConversationHistoryConfig,
  logger: { warn(message: string): void } = { warn: () => undefined },
): Budget {
  return budgetOf(createCore(config, withEveryPart({ logger })));
}
