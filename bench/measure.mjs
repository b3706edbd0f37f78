// The only source of the benchmark's metrics: `holdfast/replay`, as built by `npm run build`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageSize, parseTranscript } from '../packages/engine/dist/replay/index.js';

export { replay } from '../packages/engine/dist/replay/index.js';

/** Tokens of one chat message, by the measure. */
export const size = messageSize;

/** Tokens of a list of chat messages. */
export const total = (messages) => messages.reduce((sum, message) => sum + size(message), 0);

/** The recorded conversations in the subfolders of a folder, as chat messages, with at least this many tokens. */
export function load(folder, minTokens) {
  const conversations = [];
  for (const source of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const file of readdirSync(join(folder, source.name))
      .filter((name) => name.endsWith('.jsonl'))
      .sort()) {
      const { messages } = parseTranscript(readFileSync(join(folder, source.name, file), 'utf8'));
      if (total(messages) >= minTokens) conversations.push({ messages });
    }
  }
  return conversations;
}
