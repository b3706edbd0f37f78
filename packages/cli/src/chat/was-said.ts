import type { Chat } from '@holdfast/agent/chat';

/** Messages that an answer may have had before it failed. */
const LAST = 50;

/** True if these words are in the session, among the newest. */
export async function wasSaid(chat: Chat, text: string): Promise<boolean> {
  const said = await chat.said(LAST);
  return said.findLast(({ role }) => role === 'user')?.text.trim() === text.trim();
}
