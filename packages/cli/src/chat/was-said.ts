import type { ExecutionResult } from '@holdfast/agent';
import type { Chat } from '@holdfast/agent/chat';
import { maskSecrets } from 'holdfast';

/** Messages that an answer may have had before it failed. */
const LAST = 50;

/** True if these words are in the session: nothing is sent before they are, and otherwise they are among the newest. */
export async function wasSaid(chat: Chat, text: string, { requests = 0 }: ExecutionResult): Promise<boolean> {
  if (requests > 0) return true;
  const said = await chat.said(LAST);
  // Keys may have been masked before it was written.
  const plain = (words: string) => maskSecrets(words).trim();
  const newest = said.findLast(({ role }) => role === 'user');
  return newest !== undefined && plain(newest.text) === plain(text);
}
