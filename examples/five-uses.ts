// Five typical uses, written from the types alone: no type argument, no cast.
import { createPolicy, type ReplayResult, replay, summarize } from '@holdfast/replay';
import { readTranscript } from '@holdfast/replay/transcripts';
import { openConversations, type SessionStore } from '@holdfast/sessions';
import { ConversationWindow, type Strategy } from 'holdfast';
import type { AnthropicMessage } from 'holdfast/rules';

type Send = (messages: readonly AnthropicMessage[]) => Promise<{ message: AnthropicMessage; usage: object }>;

/** 1. A bounded loop: the history is complete, the request stays within the budget. */
export async function boundedLoop(questions: readonly string[], send: Send): Promise<AnthropicMessage[]> {
  const window = new ConversationWindow({ max_tokens: 20_000 }, { dialect: 'anthropic' });
  const history: AnthropicMessage[] = [];
  for (const content of questions) {
    history.push({ role: 'user', content });
    const { messages, receipt } = await window.fit(history);
    if (receipt) console.log(`folded from ${receipt.before.tokens} to ${receipt.after.tokens} tokens`);
    const { message, usage } = await send(messages);
    window.observe(usage);
    history.push(message);
  }
  return history;
}

/** 2. A durable loop: another process continues where this one stopped. */
export async function durableLoop(store: SessionStore, id: string, question: string, send: Send): Promise<string> {
  const conversation = await openConversations({ store, dialect: 'anthropic', max_tokens: 20_000 }).open(id);
  await conversation.add([{ role: 'user', content: question }]);
  const { messages } = await conversation.view();
  const { message, usage } = await send(messages);
  await conversation.add([message]);
  await conversation.answered(usage);
  return typeof message.content === 'string' ? message.content : JSON.stringify(message.content);
}

/** 3. A strategy of your own: drops everything old that is large. */
const small: Strategy = {
  name: 'small',
  due: (size, budget) => size.tokens > budget.max.tokens,
  judge: (turns) => ({
    verdicts: turns.map((turn) => (turn.recent || turn.tokens < 200 ? 'keep' : 'drop')),
    note: 'digest',
  }),
};
export const ownStrategy = () =>
  new ConversationWindow({ strategy: small, max_tokens: 8_000 }, { dialect: 'anthropic' });

/** 4. Summaries by a model of your own. */
export const summarizing = (ask: (prompt: string) => Promise<string>) =>
  new ConversationWindow(
    { max_tokens: 8_000, summarize_on_trim: true },
    { dialect: 'anthropic', summarizer: { call: (prompt) => ask(prompt) } },
  );

/** What a handle in a note stands for, as text. */
export async function recalled(window: ReturnType<typeof ownStrategy>, handle: string): Promise<string> {
  const { content, messages } = await window.recall(handle);
  return typeof content === 'string' ? content : JSON.stringify(content ?? messages.map((message) => message.content));
}

/** 5. A replay: what folding would have cost, next to sending everything. */
export async function costOfFolding(file: string): Promise<number | undefined> {
  const all: ReplayResult[] = [];
  const folded: ReplayResult[] = [];
  for await (const recording of readTranscript(file)) {
    all.push(await replay(recording, () => createPolicy('everything', { budget: 40_000 })));
    folded.push(await replay(recording, () => createPolicy('fold', { budget: 40_000 })));
  }
  return summarize(folded, all).relativeCost;
}
