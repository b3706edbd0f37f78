// The only source of the benchmark's metrics: `@holdfast/replay`, as built by `npm run build`.
import { messageSize } from '../packages/replay/dist/index.js';

export { probe, replay, summarize, summarizeProbes } from '../packages/replay/dist/index.js';
export { recordedConversations } from '../scripts/recorded-folds.ts';

/** Tokens of one chat message, by the measure. */
export const size = messageSize;

/** Tokens of a list of chat messages. */
export const total = (messages) => messages.reduce((sum, message) => sum + size(message), 0);
