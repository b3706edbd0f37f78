import { PROVIDERS } from '../providers/index.ts';

const CONVERSATION = 'execution.conversation.';

/**
 * Whether a folder that nobody trusts may set this: the kind of API, the model, and how long a conversation grows. Nothing of it
 * names an address, starts a program or tells the model what to do. This is the only owner of that list. Pure.
 */
export function isHarmless(key: string, value: unknown): boolean {
  if (key === 'provider.type') return PROVIDERS.some(({ type, server }) => server && type === value);
  return key === 'provider.model' || key.startsWith(CONVERSATION);
}
