import {
  createPolicy,
  type ProbeResult,
  probe,
  type ReplayResult,
  replay,
  summarize,
  summarizeProbes,
} from 'holdfast/replay';
import { describe, expect, test } from 'vitest';
import { recordedConversations, recordedFolds } from '../../../scripts/recorded-folds.ts';
import { SOAK } from '../../../scripts/soak.ts';
import { sample } from './recordings.ts';

const { HOLDFAST_TRANSCRIPTS: folder, HOLDFAST_TRANSCRIPTS_MORE: more } = process.env;

const BUDGET = 40_000;
const RESERVE = 10_000;

/**
 * What `fold` must reach within 40,000 tokens on recorded conversations at least that long: all of them in `npm run soak`,
 * a sample in `npm test`. Cost is relative to sending everything; `refused` counts calls; the others are percentages.
 */
const BARS = SOAK
  ? { cost: 0.48, refused: 60, coverage: 94, spans: 71, pointed: 74, assistant: 30, user: 87 }
  : { cost: 0.48, refused: 0, coverage: 96, spans: 73, pointed: 74, assistant: 24, user: 90 };
const NOTE_TOKENS = 2_000;
const SAMPLE = 8;

test('fold is cheap and keeps what the agent needs next', async ({ skip }) => {
  if (!more) return skip('set HOLDFAST_TRANSCRIPTS_MORE to a folder of recorded conversations');
  const fold = () => createPolicy('fold', { budget: BUDGET, reserve: RESERVE });
  const everything = () => createPolicy('everything', { budget: BUDGET, reserve: RESERVE });
  const [base, own]: [ReplayResult[], ReplayResult[]] = [[], []];
  const probed: ProbeResult[] = [];
  for (const [at, one] of sample(recordedConversations(more, BUDGET), SAMPLE).entries()) {
    base.push(await replay(one, everything));
    own.push(await replay(one, fold));
    probed.push(...(await probe(one, fold, { seed: at + 1 })));
  }
  const { relativeCost: cost = 1, coverage = 0, spans = 0, pointed = 0, invalid, total } = summarize(own, base);
  const { user = 0, assistant = 0 } = summarizeProbes(probed);
  const { peak, refused } = total;
  console.log({ cost, refused, coverage, spans, pointed, assistant, user, peak });
  expect(cost).toBeLessThanOrEqual(BARS.cost);
  expect(refused).toBeLessThanOrEqual(BARS.refused);
  for (const [key, share] of Object.entries({ coverage, spans, pointed, assistant, user }))
    expect(share, key).toBeGreaterThanOrEqual(BARS[key as keyof typeof BARS]);
  expect(invalid).toBe(0);
  // The counter learns from usage: within a quarter of a percent. What is refused is sent whole.
  if (refused === 0) expect(peak).toBeLessThanOrEqual(1.0025 * BUDGET);
});

describe.skipIf(!folder)('on recorded conversations over 40,000 tokens, within 40,000', () => {
  test('a note is short, at most 60% of it names, under headings, each with its last use', async () => {
    const folds = (await recordedFolds(folder)) ?? [];
    expect(folds.length).toBeGreaterThan(50);
    for (const { conversation, receipt, literalShare } of folds) {
      const at = `${conversation}, fold ${receipt.fold}`;
      expect(receipt.note_tokens, at).toBeLessThanOrEqual(NOTE_TOKENS);
      expect(literalShare, at).toBeLessThanOrEqual(0.6);
      const [, ...lines] = (receipt.note ?? '').split('\n');
      for (const line of lines) expect(line, at).toMatch(/^(?:## [A-Z]|m\d+: ")/);
    }
  });
});
