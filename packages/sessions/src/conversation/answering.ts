import type { Dialect, Fitted, HoldfastError } from 'holdfast';
import type { Conversation } from './conversation.ts';
import type { FittedHistory, IncomingHistory } from './incoming.ts';
import type { SentView } from './parts.ts';
import { withoutThinking } from './thinking.ts';

/** What became of a history: its view, or why there is none, or why it is not stored. */
export interface Outcome<M> {
  readonly conversation: Conversation<M> | undefined;
  readonly fitted?: Fitted<M> | undefined;
  readonly problem?: HoldfastError | undefined;
}

const UNRECORDED = { sent: async () => undefined, answered: async () => undefined };

/** A history that belongs to no conversation. */
export function asItCame<M>({ messages }: IncomingHistory<M>): FittedHistory<M> {
  return { messages, isWhole: true, withoutThinking: async () => undefined, ...UNRECORDED };
}

/** What to send: the view. Without one, as it came while the model accepts that, else the last view and what is new. */
export function messagesOf<M>(
  { conversation, fitted, problem }: Outcome<M>,
  { messages, bounds }: IncomingHistory<M>,
): readonly M[] {
  if (fitted) return fitted.messages;
  const isAccepted = () => bounds.reserve + (conversation?.estimate(messages) ?? 0) <= bounds.limit;
  if (!conversation || (problem?.code === 'OVER_BUDGET' && isAccepted())) return messages;
  return conversation.lastView(messages);
}

/** `enqueue`: waits until the conversation is free. */
export function answerable<M>(
  outcome: Outcome<M> & { readonly messages: readonly M[] },
  history: IncomingHistory<M>,
  enqueue: <T>(work: () => Promise<T>) => Promise<T>,
): FittedHistory<M> {
  const { conversation, fitted, problem, messages } = outcome;
  const { scope } = conversation ?? {};
  return {
    ...(scope === undefined ? {} : { conversation: scope }),
    messages,
    isWhole: messages.length === history.messages.length && messages.every((one, i) => one === history.messages[i]),
    ...(fitted ? { metrics: fitted.metrics } : {}),
    ...(fitted?.receipt ? { receipt: fitted.receipt } : {}),
    ...(fitted?.reminder ? { reminder: fitted.reminder } : {}),
    ...(problem ? { problem } : {}),
    async withoutThinking() {
      const bare = bareMessages(history.dialect, messages);
      if (bare && conversation && fitted) await enqueue(() => drop(conversation, fitted)).catch(() => undefined);
      return bare;
    },
    ...(conversation
      ? recording(conversation, { model: history.model, metrics: fitted?.metrics, sent: messages.length }, enqueue)
      : UNRECORDED),
  };
}

/** If another request changed the view since, that one's answer decides. */
async function drop<M>(conversation: Conversation<M>, { metrics }: Fitted<M>): Promise<void> {
  if (conversation.messages === metrics.totalMessages) conversation.dropThinking();
}

/** Not a closure over the view: a caller that waits minutes for an answer must not keep its messages in memory. */
function recording<M>(
  conversation: Conversation<M>,
  view: SentView,
  enqueue: (work: () => Promise<void>) => Promise<void>,
): Pick<FittedHistory<M>, 'sent' | 'answered'> {
  return {
    sent: (request) =>
      enqueue(async () => {
        view.request = await conversation.sent(request);
      }).catch(() => undefined),
    answered: (usage, tokens, cost) =>
      enqueue(() => conversation.answeredTo(view, usage, { tokens, cost })).catch(() => undefined),
  };
}

/** Undefined if there is no thinking in them, or they cannot be read. */
function bareMessages<M>(dialect: Dialect<M>, messages: readonly M[]): readonly M[] | undefined {
  try {
    const bare = messages.map((message) => withoutThinking(dialect, message));
    return bare.some((message, at) => message !== messages[at]) ? bare : undefined;
  } catch {
    return undefined;
  }
}
