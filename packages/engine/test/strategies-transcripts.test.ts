import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ConversationHistoryConfig, ConversationWindow, isHoldfastError } from '../src/index.ts';
import { dialectOf, type Format, type Wire } from './histories.ts';
import { floorComplaints, lowestFloor, recount, violationsOf } from './promises.ts';

const folder = process.env.HOLDFAST_TRANSCRIPTS;
if (!folder) console.warn('strategies: not tested on recorded conversations, set HOLDFAST_TRANSCRIPTS to their folder');

interface Conversation {
  readonly name: string;
  readonly format: Format;
  readonly messages: readonly Wire[];
}

function* conversations(root: string): Generator<Conversation> {
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.jsonl')) continue;
    const [first = '', ...lines] = readFileSync(join(root, file), 'utf8').trimEnd().split('\n');
    yield { name: file, format: JSON.parse(first).meta.format, messages: lines.map((line) => JSON.parse(line)) };
  }
}

/** Each with its defaults, with a budget of tokens, and a tight one. */
const CONFIGS: readonly ConversationHistoryConfig[] = [
  { strategy: 'governed' },
  { strategy: 'governed', max_tokens: 20_000 },
  { strategy: 'governed', max_history_messages: 12, tool_output_trim_chars: 300 },
  { strategy: 'two-tier' },
  { strategy: 'two-tier', tier_thresholds: [12_000, 30_000], max_tokens: 40_000 },
  { strategy: 'two-tier', tier_thresholds: [12_000, 30_000], max_tokens: 8_000 },
  { strategy: 'rolling' },
  { strategy: 'rolling', max_tokens: 20_000 },
  { strategy: 'rolling', max_messages: 12 },
  { strategy: ['two-tier', 'governed'], max_tokens: 30_000 },
];

/** What each strategy allows by default. */
function mostMessages({ strategy, max_history_messages = 40 }: ConversationHistoryConfig): number {
  if (strategy === 'governed') return max_history_messages;
  return strategy === 'rolling' ? 50 : Number.POSITIVE_INFINITY;
}

/** Fits before each answer; gives what is wrong and how often it folded. */
async function replay({ name, format, messages }: Conversation, config: ConversationHistoryConfig) {
  const window = new ConversationWindow<Wire>(config, { dialect: dialectOf(format) });
  const complaints: string[] = [];
  const most = config.max_messages ?? mostMessages(config);
  const tokens = config.max_tokens ?? Number.POSITIVE_INFINITY;
  let before: readonly Wire[] = [];
  let folds = 0;
  for (let n = 1; n <= messages.length; n++) {
    if (messages[n - 1]?.role === 'assistant' || (n < messages.length && messages[n]?.role !== 'assistant')) continue;
    const history = messages.slice(0, n);
    const at = `${name} at ${n}`;
    try {
      const { messages: view, receipt } = await window.fit(history);
      for (const { rule, index } of violationsOf(format, view)) complaints.push(`${at}: ${rule} at ${index}`);
      if (view.length > most || recount(format, view, window.state().calibration) > tokens)
        complaints.push(`${at}: over budget with ${view.length} messages`);
      if (!receipt && before.some((message, i) => message !== view[i]))
        complaints.push(`${at}: rewritten without a fold`);
      if (receipt) folds++;
      before = view;
    } catch (error) {
      if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') throw new Error(at, { cause: error });
      const floor = lowestFloor(format, history, 0, window.state().calibration);
      complaints.push(...floorComplaints(error, { messages: most, tokens }, floor).map((text) => `${at}: ${text}`));
    }
  }
  return { complaints, folds };
}

test.skipIf(!folder).each(CONFIGS.map((config) => ({ config, given: JSON.stringify(config) })))(
  'every recorded conversation stays valid, within budget and growing with $given',
  async ({ config }) => {
    const complaints: string[] = [];
    let folds = 0;
    for (const conversation of conversations(folder ?? '')) {
      const found = await replay(conversation, config);
      complaints.push(...found.complaints);
      folds += found.folds;
    }
    expect(complaints.slice(0, 20)).toEqual([]);
    expect(folds).toBeGreaterThan(10);
  },
);
