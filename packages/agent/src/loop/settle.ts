import type { Conversation } from '@holdfast/sessions';
import { type Dialect, isHoldfastError, repairHistory } from 'holdfast';
import { attempt } from '../attempt.ts';

/**
 * Takes in what was said last, so that the saved state is bounded. What no later request could contain, because it breaks a
 * rule or is too large from the start, is repaired or dropped, unless a log keeps it. Never throws.
 */
export async function settle<M>(conversation: Conversation<M>, dialect: Dialect<M>, isLogged: boolean): Promise<void> {
  const failed = await conversation
    .add([])
    .then(() => conversation.view())
    .then(
      () => false,
      (error) => !isLogged && isHopeless(error, conversation),
    );
  if (!failed) return;
  // Repaired without the rest of the history.
  const repaired = attempt(() => repairHistory(conversation.pending, { dialect }).messages);
  conversation.replacePending(repaired ?? []);
  await conversation.view().catch((error: unknown) => {
    if (isHopeless(error, conversation)) conversation.replacePending([]);
  });
}

/** No later request could contain it either. */
function isHopeless<M>(error: unknown, { messages, pending }: Conversation<M>): boolean {
  if (!isHoldfastError(error)) return false;
  return error.code === 'OVER_BUDGET' ? messages === pending.length : error.code === 'INVALID_HISTORY';
}
