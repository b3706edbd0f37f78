import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { type ConversationHistoryConfig, ConversationWindow, isHoldfastError } from '../src/index.ts';
import { deepFreeze, dialectOf, type Wire } from './histories.ts';
import { floorComplaints, lowestFloor, recount, violationsOf } from './promises.ts';
import { type Course, conversationsIn, courseOf, sample } from './recordings.ts';

const folder = process.env.HOLDFAST_TRANSCRIPTS;
if (!folder) console.warn('strategies: not tested on recorded conversations, set HOLDFAST_TRANSCRIPTS to their folder');

/** Read once for all tests. */
const recorded = sample(folder ? conversationsIn(folder) : [], 9).map(courseOf);

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
async function replay({ name, format, messages, requests }: Course, config: ConversationHistoryConfig) {
  const window = new ConversationWindow<Wire>(config, { dialect: dialectOf(format) });
  const { calibration } = window.state();
  const complaints: string[] = [];
  const most = config.max_messages ?? mostMessages(config);
  const tokens = config.max_tokens ?? Number.POSITIVE_INFINITY;
  let before: readonly Wire[] = [];
  let folds = 0;
  for (const n of requests) {
    const history = messages.slice(0, n);
    const at = `${name} at ${n}`;
    try {
      const { messages: view, receipt } = await window.fit(history);
      deepFreeze(view);
      for (const { rule, index } of violationsOf(format, view)) complaints.push(`${at}: ${rule} at ${index}`);
      if (view.length > most || recount(format, view, calibration) > tokens)
        complaints.push(`${at}: over budget with ${view.length} messages`);
      const differs = (message: Wire, i: number) =>
        message !== view[i] && JSON.stringify(message) !== JSON.stringify(view[i]);
      if (!receipt && before.some(differs)) complaints.push(`${at}: rewritten without a fold`);
      if (receipt) folds++;
      before = view;
    } catch (error) {
      if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') throw new Error(at, { cause: error });
      const floor = lowestFloor(format, history, 0, calibration);
      complaints.push(...floorComplaints(error, { messages: most, tokens }, floor).map((text) => `${at}: ${text}`));
    }
  }
  return { complaints, folds };
}

test.skipIf(!folder).each(CONFIGS.map((config) => ({ config, given: JSON.stringify(config) })))(
  'recorded conversations stay valid, within budget and append-only with $given',
  async ({ config }) => {
    const complaints: string[] = [];
    let folds = 0;
    for (const conversation of recorded) {
      const found = await replay(conversation, config);
      complaints.push(...found.complaints);
      folds += found.folds;
    }
    expect(complaints.slice(0, 20)).toEqual([]);
    expect(folds).toBeGreaterThan(SOAK ? 10 : 0);
  },
);
