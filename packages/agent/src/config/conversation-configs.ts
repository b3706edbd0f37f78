import { type ConversationHistoryConfig, configuredBudget, HoldfastError, isHoldfastError } from 'holdfast';
import { parseData } from './read-models.ts';

/**
 * Configurations of a conversation by name, from YAML or JSON: `{ "late": { strategy: fold, target: 0.7 } }`. Throws BAD_CONFIG
 * with the name and what is wrong; `place` is what the error calls the text.
 */
export function parseConversations(text: string, place: string): Readonly<Record<string, ConversationHistoryConfig>> {
  const data = parseData(text, place);
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new HoldfastError('BAD_CONFIG', `${place}: must be a map of configurations by name`);
  for (const [name, config] of Object.entries(data)) check(config, `${place}, ${name}`);
  return data as Record<string, ConversationHistoryConfig>;
}

/** The window validates its own keys. */
function check(config: unknown, place: string): void {
  try {
    configuredBudget(config as ConversationHistoryConfig);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    throw new HoldfastError('BAD_CONFIG', `${place}: ${error.message}`, error.details, error);
  }
}
