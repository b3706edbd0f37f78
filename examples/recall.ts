import { ConversationWindow, type Receipt } from 'holdfast';

export async function forgetNothing<M>(history: readonly M[]): Promise<{ receipt: Receipt; originals: readonly M[] }> {
  const window = new ConversationWindow<M>({ max_tokens: 20_000 });
  const receipt = await window.compact(history, { focus: 'rate limiter' }); // or let fit() decide when
  const dropped = receipt.turns.find((turn) => turn.verdict === 'drop');
  if (!dropped?.handle) throw new Error('nothing was dropped');
  const { messages } = await window.recall(dropped.handle); // 'm12-m14': the same bytes
  return { receipt, originals: messages };
}
