import { ConversationWindow } from 'holdfast';
import { type ChatMessage, messageSize, replay, summarize } from 'holdfast/replay';
import { describe, expect, test } from 'vitest';
import { recordedConversations, recordedFolds } from '../../../scripts/recorded-folds.ts';

const folder = process.env.HOLDFAST_TRANSCRIPTS;
if (!folder) console.warn('bars: skipped, HOLDFAST_TRANSCRIPTS names no folder of recorded conversations');

const RESERVE = 10_000;

function holdfast() {
  const window = new ConversationWindow<ChatMessage>({ max_tokens: 50_000, reserve: RESERVE, max_messages: 0 });
  return {
    async view(history: readonly ChatMessage[]) {
      const { messages } = await window.fit(history);
      window.observe({ input_tokens: RESERVE + messages.reduce((sum, message) => sum + messageSize(message), 0) });
      return messages;
    },
  };
}

describe.skipIf(!folder)('on recorded conversations over 40,000 tokens, within 40,000', () => {
  test('fold costs about 0.42 of sending everything, covers 97% of names and 85% of lines', async () => {
    const conversations = recordedConversations(folder ?? '', 40_000);
    const all = await Promise.all(conversations.map((one) => replay(one, () => ({ view: (history) => history }))));
    const own = [];
    for (const one of conversations) own.push(await replay(one, holdfast));
    const { relativeCost, coverage, spans, invalid, total } = summarize(own, all);
    console.log(
      `cost ${relativeCost?.toFixed(4)}, coverage ${coverage?.toFixed(2)}, spans ${spans?.toFixed(1)}, largest ${total.peak}`,
    );
    expect(relativeCost).toBeLessThanOrEqual(0.421); // the quotation marks of notes cost 0.001
    expect(coverage).toBeGreaterThanOrEqual(97);
    expect(spans).toBeGreaterThanOrEqual(85);
    expect(invalid).toBe(0);
    expect(total.peak).toBeLessThanOrEqual(40_100); // the counter learns from usage: within a quarter of a percent
  });

  test('a note has at most 2,000 tokens, at most 60% of it names, under headings, each with its last use', async () => {
    const folds = (await recordedFolds(folder)) ?? [];
    expect(folds.length).toBeGreaterThan(50);
    for (const { conversation, receipt, literalShare } of folds) {
      const at = `${conversation}, fold ${receipt.fold}`;
      expect(receipt.note_tokens, at).toBeLessThanOrEqual(2_000);
      expect(literalShare, at).toBeLessThanOrEqual(0.6);
      const [, ...lines] = (receipt.note ?? '').split('\n');
      for (const line of lines) expect(line, at).toMatch(/^(?:## [A-Z]|m\d+: ")/);
    }
  });
});
