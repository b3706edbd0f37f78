import { defaultBudget, leastBudget, modelInfo, wantsBreakpoints } from '@holdfast/models';
import type { FittedHistory, WireMessage } from '@holdfast/sessions';
import { anthropic, type Dialect, type DialectName, dialectNamed } from 'holdfast';
import { CHARACTERS, type ConversationRequest, type MessagePlace } from '../body/conversation-request.ts';
import type { Caller } from '../caller.ts';
import type { ProxyEvent } from '../events.ts';
import type { Parts } from '../parts.ts';
import { recallSentence } from '../recall-sentence.ts';
import { headLength, markHead } from './fixed-head.ts';

/** Clients that were warned: with more, some are warned again. */
const MOST_WARNED = 10_000;

/** For a model whose window is unknown. */
const NO_LIMIT = 10_000_000;

/** What to send instead of a request's messages. Rejects if the store cannot be opened. */
export async function fitRequest(
  request: ConversationRequest,
  { dialect: api }: MessagePlace,
  { owner, hint }: Caller,
  parts: Parts,
): Promise<FittedHistory<WireMessage>> {
  const { model, list } = request;
  const info = modelInfo(model);
  const limit = info.known ? info.window : NO_LIMIT;
  const length = headLength(list.items);
  const head = list.items.slice(0, length);
  const reserve = request.reserve + Math.ceil((list.span.items[length - 1]?.end ?? 0) / CHARACTERS);
  let max_tokens = Math.min(parts.max_tokens ?? defaultBudget(info, { reserve }).tokens, limit);
  const needed = leastBudget(reserve);
  if (max_tokens < needed) {
    warnOnce(`${owner} ${hint}`, { type: 'budget-small', api, model, reserve, max_tokens, needed }, parts);
    // A conversation passes through as long as the model takes it; one that was folded before stays so.
    max_tokens = limit;
  }
  const recall = recallSentence(
    [request.fields, ...head].flatMap(({ tools }) => tools ?? []),
    parts.recall,
  );
  const conversations = await parts.conversations();
  const view = await conversations.fit({
    owner,
    dialect: dialectFor(api, info.thinking),
    model,
    messages: list.items.slice(length),
    bounds: { max_tokens, limit, reserve },
    ...(hint === undefined ? {} : { hint }),
    ...(recall === undefined ? {} : { recall }),
  });
  report(view, { api, model }, parts);
  const behindHead = (messages: readonly WireMessage[]) =>
    wantsBreakpoints(info) && !view.isWhole ? markHead(api, [...head, ...messages], length) : [...head, ...messages];
  return {
    ...view,
    messages: behindHead(view.messages),
    withoutThinking: async () => {
      const messages = await view.withoutThinking();
      return messages && behindHead(messages);
    },
  };
}

function report(
  { conversation, receipt, problem }: FittedHistory<WireMessage>,
  request: { readonly api: DialectName; readonly model: string },
  { onEvent }: Parts,
): void {
  const place = { ...request, conversation };
  if (receipt && receipt.fold > 0) {
    const [before, after] = [receipt.before.tokens, receipt.after.tokens];
    onEvent({ type: 'fold-end', ...place, fold: receipt.fold, before, after });
  }
  if (problem) onEvent({ type: 'view-fail', ...place, code: problem.code, message: problem.message });
}

function warnOnce(client: string, event: ProxyEvent, { warned, onEvent }: Parts): void {
  if (warned.has(client)) return;
  if (warned.size >= MOST_WARNED) warned.clear();
  warned.add(client);
  onEvent(event);
}

const BOUND = anthropic<WireMessage>({ thinking: 'bound' });
const FREE = anthropic<WireMessage>({ thinking: 'free' });

function dialectFor(api: DialectName, thinking: 'bound' | 'free' | 'none'): Dialect<WireMessage> {
  if (api !== 'anthropic') return dialectNamed(api) as Dialect<WireMessage>;
  return thinking === 'free' ? FREE : BOUND;
}
