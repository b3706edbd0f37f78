import { modelInfo } from '@holdfast/agent/models';
import type { FittedHistory, WireMessage } from '@holdfast/sessions';
import { anthropic, type Dialect, type DialectName, dialectNamed } from 'holdfast';
import type { ConversationRequest, MessagePlace } from '../body/conversation-request.ts';
import type { Caller } from '../caller.ts';
import type { ProxyEvent } from '../events.ts';
import type { Parts } from '../parts.ts';
import { recallSentence } from '../recall-sentence.ts';

/** Below this many times the fixed part of a prompt, a budget leaves so little room that almost every request would fold. */
const LEAST_ROOM = 2.5;
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
  const { model, reserve, list, fields } = request;
  const { known, window, thinking } = modelInfo(model);
  const limit = known ? window : NO_LIMIT;
  let max_tokens = Math.min(parts.max_tokens, limit);
  if (max_tokens < LEAST_ROOM * reserve) {
    warnOnce(`${owner} ${hint}`, { type: 'budget-small', api, model, reserve, max_tokens }, parts);
    // A conversation passes through as long as the model takes it; one that was folded before stays so.
    max_tokens = limit;
  }
  const recall = recallSentence(fields.tools, parts.recall);
  const conversations = await parts.conversations();
  const view = await conversations.fit({
    owner,
    dialect: dialectFor(api, thinking),
    model,
    messages: list.items,
    bounds: { max_tokens, limit, reserve },
    ...(hint === undefined ? {} : { hint }),
    ...(recall === undefined ? {} : { recall }),
  });
  const { conversation, receipt, problem } = view;
  const place = { api, model, conversation };
  if (receipt && receipt.fold > 0) {
    const [before, after] = [receipt.before.tokens, receipt.after.tokens];
    parts.onEvent({ type: 'fold-end', ...place, fold: receipt.fold, before, after });
  }
  if (problem) parts.onEvent({ type: 'view-fail', ...place, code: problem.code, message: problem.message });
  return view;
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
