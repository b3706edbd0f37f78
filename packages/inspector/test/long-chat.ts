import type { SessionEntry, SessionStore } from '@holdfast/sessions';
import { type Calibration, ConversationWindow } from 'holdfast';

const BUDGET = 8_000;
const WORDS = 'and then we looked at the next file, which says what the one before said '.repeat(4);

/** A chat of so many messages, folded by a real window: about once in 50. Returns its id. */
export async function writeLongChat(store: SessionStore, messages: number): Promise<string> {
  const { id } = await store.create({ id: `long-${messages}` });
  const window = new ConversationWindow<{ role: string; content: string }>(
    { max_tokens: BUDGET, max_messages: 0 },
    { dialect: 'openai-chat' },
  );
  let last = 0;
  const append = async (entries: readonly SessionEntry[]) => {
    last = await store.append(id, entries, last);
  };
  await append([{ type: 'model', provider: 'p', model: 'm', dialect: 'openai-chat' }]);
  for (let i = 0; i < messages; i += 2) {
    const asked = { role: 'user', content: `Question ${i}: ${WORDS}` };
    const { messages: sent, metrics, receipt } = await window.fit([asked], { offset: i });
    const state = window.state();
    const fold = state.log.at(-1);
    const calibration: Calibration = state.calibration;
    const { historyTokens } = metrics;
    const answer = { role: 'assistant', content: `Answer ${i}: ${WORDS}` };
    await append([
      { type: 'message', message: asked },
      ...(receipt && fold ? [{ type: 'fold' as const, fold, receipt }] : []),
      { type: 'message', message: answer },
      {
        type: 'usage',
        tokens: { input: metrics.estimatedTokens, output: 100 },
        window: { seen: i + 1, sent: sent.length, calibration, historyTokens, max: { tokens: BUDGET } },
      },
    ]);
    await window.adopt([answer], { offset: i + 1 });
  }
  return id;
}
