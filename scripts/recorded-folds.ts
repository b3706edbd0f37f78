import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChatMessage, literalsIn, messageSize, parseTranscript } from '@holdfast/replay';
import { ConversationWindow, type Receipt } from 'holdfast';

/** A fold of a recorded conversation, and the share of its note that consists of names, as replay defines them. */
export interface RecordedFold {
  readonly conversation: string;
  readonly receipt: Receipt;
  readonly literalShare: number;
}

const RESERVE = 10_000;

/** Every fold at 40,000 tokens of the recorded conversations that are long enough; undefined without recordings. */
export async function recordedFolds(
  folder = process.env.HOLDFAST_TRANSCRIPTS,
  tokens = 40_000,
): Promise<RecordedFold[] | undefined> {
  if (!folder) return undefined;
  const folds: RecordedFold[] = [];
  for (const { name, messages } of recordedConversations(folder, tokens)) {
    const window = new ConversationWindow<ChatMessage>({ max_tokens: 50_000, reserve: RESERVE });
    for (const [index, message] of messages.entries()) {
      if (message.role !== 'assistant' || index === 0) continue;
      const { messages: view, receipt } = await window.fit(messages.slice(0, index));
      window.observe({ input_tokens: RESERVE + sizeOf(view) });
      if (receipt) folds.push({ conversation: name, receipt, literalShare: literalShare(receipt.note ?? '') });
    }
  }
  return folds;
}

/** Sources that distort figures: in one the steps were rebuilt, in the other agents speak as the user. */
const DISTORTED = new Set(['browseragent-webarena', 'magentic-one']);

/** The recorded conversations below a folder, in chat form, with at least this many tokens, sorted by name. */
export function recordedConversations(
  folder: string,
  tokens: number,
): { name: string; messages: readonly ChatMessage[] }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const used = files.filter((file) => !DISTORTED.has(file.split(/[\\/]/)[0] ?? ''));
  return used.sort().flatMap((file) => {
    const { messages } = parseTranscript(readFileSync(join(folder, file), 'utf8'));
    return sizeOf(messages) >= tokens ? [{ name: file.replace('.jsonl', ''), messages }] : [];
  });
}

function sizeOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + messageSize(message), 0);
}

function literalShare(note: string): number {
  const chars = literalsIn(note).reduce((sum, literal) => sum + literal.length, 0);
  return note === '' ? 0 : chars / note.length;
}
