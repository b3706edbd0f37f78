import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FittedHistory, WireMessage } from '@holdfast/sessions';
import { HoldfastError, isHoldfastError } from 'holdfast';
import { type ConversationRequest, type MessagePlace, readConversation } from '../body/conversation-request.ts';
import { decoded, readBody } from '../body/read-body.ts';
import { replaceList } from '../body/replace-list.ts';
import { callerOf } from '../caller.ts';
import type { Vendor } from '../http/api-error.ts';
import { forwarded } from '../http/headers.ts';
import type { Parts } from '../parts.ts';
import { Refused } from '../refused.ts';
import { hungUp } from '../upstream/hung-up.ts';
import { relay } from '../upstream/relay.ts';
import type { Answer } from '../upstream/send.ts';
import { sendTo } from '../upstream/send-to.ts';
import { createUsageReader } from '../usage/usage-reader.ts';
import { fitRequest } from './fit-request.ts';
import { readThinkingRefusal } from './thinking-refusal.ts';

/** A request that may be folded, and where it goes. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly vendor: Vendor;
  readonly place: MessagePlace;
  readonly parts: Parts;
}

/**
 * Serves a request whose conversation may be folded: sends the view upstream instead of its messages and reads the usage from
 * the answer. A request that needs no fold reaches the upstream byte for byte. Rejects with a Refused.
 */
export async function serveFolded(exchange: Exchange): Promise<void> {
  const { request, response, place, parts } = exchange;
  const { headers } = request;
  const { body_bytes: most } = parts.limits;
  const raw = await readBody(request, most);
  if (!raw) throw new Refused({ status: 413, message: `the request is larger than ${most} bytes` });
  const bytes = await decoded(raw, headers['content-encoding'], most);
  const asked = bytes && readConversation(bytes, place, parts.recent);
  const view = asked && (await viewOf(asked, exchange));
  const send = sending(exchange);
  if (!view) return relay(await send(raw), response);
  const answer = await answerTo(view, asked, raw, exchange, send);
  const reader = createUsageReader(answer.headers, (usage) => {
    if (answer.status < 300) account(usage, asked, place, view, parts);
  });
  await relay(answer, response, reader);
}

/** The view of a request; undefined if it has none for any reason. Such a request is sent unchanged. */
async function viewOf(
  asked: ConversationRequest,
  { request, place, parts }: Exchange,
): Promise<FittedHistory<WireMessage> | undefined> {
  try {
    return await fitRequest(asked, place, callerOf(request, asked, place, parts.secret), parts);
  } catch (error) {
    const { code, message } = isHoldfastError(error) ? error : new HoldfastError('BAD_STORE', String(error));
    parts.onEvent({ type: 'view-fail', api: place.dialect, model: asked.model, code, message });
    return undefined;
  }
}

type Send = (body: Uint8Array, ...dropped: readonly string[]) => Promise<Answer>;

/** Sends bodies upstream with the headers of the request, except for those in `dropped`. */
function sending({ request, response, vendor, parts }: Exchange): Send {
  const signal = hungUp(response);
  const { method = 'POST', url: path = '/' } = request;
  return (body, ...dropped) => {
    const headers = forwarded(request.rawHeaders, 'host', 'expect', 'content-length', ...dropped);
    return sendTo(vendor, { method, path, headers, signal, ...(body.length > 0 ? { body } : {}) }, parts);
  };
}

/** The answer to a view; if the API refuses its thinking, the answer to the same view without it. */
async function answerTo(
  view: FittedHistory<WireMessage>,
  { bytes, list, model }: ConversationRequest,
  raw: Uint8Array,
  { place: { dialect: api }, parts }: Exchange,
  send: Send,
): Promise<Answer> {
  const sendMessages = (messages: readonly WireMessage[]) =>
    send(replaceList(bytes, list, messages), 'content-encoding');
  const first = await (view.isWhole ? send(raw) : sendMessages(view.messages));
  const { answer, isRefusal } = await readThinkingRefusal(api, first);
  const messages = isRefusal ? await view.withoutThinking() : undefined;
  if (!messages) return answer;
  parts.onEvent({ type: 'thinking-retry', api, model, conversation: view.conversation });
  return await sendMessages(messages);
}

function account(
  usage: unknown,
  { model }: ConversationRequest,
  { dialect: api }: MessagePlace,
  view: FittedHistory<WireMessage>,
  { accounts, metrics }: Parts,
): void {
  const { conversation, isWhole, metrics: { folds, historyTokens: history } = {} } = view;
  const charge = accounts.add({ conversation, model, usage, folds, isWhole, history });
  metrics.answered(api, charge);
  if (!charge) return;
  const { tokens, currency, costs } = charge;
  void view.answered(usage, tokens, currency === 'dollars' ? costs.proxied : undefined);
}
