import { readFileSync } from 'node:fs';
import { type ChatMessage, parseTranscript, replay, summarize } from '@holdfast/replay';
import { ConversationWindow } from 'holdfast';

const everything = () => ({ view: (history: readonly ChatMessage[]) => history });
const holdfast = () => {
  const window = new ConversationWindow<ChatMessage>({ max_tokens: 50_000, reserve: 10_000 });
  return { view: async (history: readonly ChatMessage[]) => (await window.fit(history)).messages };
};

export async function compare(file: string) {
  const transcript = parseTranscript(readFileSync(file, 'utf8')); // a {"meta":…} line, then one message per line
  const base = await replay(transcript, everything);
  const { relativeCost, coverage, spans } = summarize([await replay(transcript, holdfast)], [base]);
  return { relativeCost, coverage, spans }; // its cost, and how much of what the next call needed was in view
}
