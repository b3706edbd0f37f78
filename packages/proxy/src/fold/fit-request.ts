import { modelInfo } from '@holdfast/agent/models';
import type { FittedHistory, WireMessage } from '@holdfast/sessions';
import { anthropic, type Dialect, type DialectName, dialectNamed } from 'holdfast';
import type { ConversationRequest, MessagePlace } from '../body/conversation-request.ts';
import type { Caller } from '../caller.ts';
import type { Parts } from '../parts.ts';
import { recallSentence } from '../recall-sentence.ts';

/** Below this many times the fixed part of a prompt, a budget leaves so little room that almost every request would fold. */
const LEAST_ROOM = 2.5;
/** Clients that were warned: with more, some are warned again. */
const MOST_WARNED = 10_000;

/**
 * What to send instead of a request's messages. Undefined if the request passes through as it came, because everything else in it
 * takes too much of the budget. Never rejects.
 */
export async function fitRequest(
  request: ConversationRequest,
  { dialect: api }: MessagePlace,
  { owner, hint }: Caller,
  parts: Parts,
): Promise<FittedHistory<WireMessage> | undefined> {
  const { model, reserve, list, fields } = request;
  const { window: limit, thinking } = modelInfo(model);
  const max_tokens = Math.min(parts.max_tokens, limit);
  if (max_tokens < LEAST_ROOM * reserve) {
    const client = `${owner} ${hint}`;
    if (!parts.warned.has(client)) parts.onEvent({ type: 'budget-small', api, model, reserve, max_tokens });
    if (parts.warned.size >= MOST_WARNED) parts.warned.clear();
    parts.warned.add(client);
    return undefined;
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

const BOUND = anthropic<WireMessage>({ thinking: 'bound' });
const FREE = anthropic<WireMessage>({ thinking: 'free' });

function dialectFor(api: DialectName, thinking: 'bound' | 'free' | 'none'): Dialect<WireMessage> {
  if (api !== 'anthropic') return dialectNamed(api) as Dialect<WireMessage>;
  return thinking === 'free' ? FREE : BOUND;
}
