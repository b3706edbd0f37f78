import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FittedHistory, RequestStretch, WireMessage } from '@holdfast/sessions';
import { type DialectName, HoldfastError, isHoldfastError } from 'holdfast';
import { type ConversationRequest, type MessagePlace, readConversation } from '../body/conversation-request.ts';
import { decoded, readBody } from '../body/read-body.ts';
import { replaceList } from '../body/replace-list.ts';
import { callerOf } from '../caller.ts';
import type { Vendor } from '../http/api-error.ts';
import type { Parts } from '../parts.ts';
import { relay, type Tap } from '../upstream/relay.ts';
import { type Answer, type Incoming, outgoing } from '../upstream/send.ts';
import type { Spent } from '../usage/accounts.ts';
import { createUsageReader } from '../usage/usage-reader.ts';
import { fitRequest } from './fit-request.ts';
import { readThinkingRefusal } from './thinking-refusal.ts';

/** A request, and where it goes. */
export interface Exchange extends Incoming {
  readonly response: ServerResponse;
  readonly vendor: Vendor;
  readonly parts: Parts;
}

/**
 * Serves a request whose conversation may be folded: sends the view upstream instead of its messages and reads the usage from
 * the answer. A request that needs no fold reaches the upstream byte for byte. Rejects with a Refused.
 */
export async function serveFolded(exchange: Exchange, place: MessagePlace): Promise<void> {
  // The request's bytes are gone by then: an answer may take minutes.
  const { answer, tap } = await answered(exchange, place);
  await relay(answer, exchange, tap);
}

interface Answered {
  readonly answer: Answer;
  readonly tap?: Tap;
}

/** Reads the request and sends it, with room for its body until the answer begins. */
async function answered(exchange: Exchange, place: MessagePlace): Promise<Answered> {
  const { request, parts, signal } = exchange;
  const { headers } = request;
  const { body_bytes: most } = parts.limits;
  const encoding = headers['content-encoding'];
  const room = parts.bodies.open(signal);
  try {
    const raw = await readBody(request, most, room);
    if (!Buffer.isBuffer(raw)) return { answer: await sendUnread(raw, place, exchange) };
    if (encoding !== undefined) await room.resize(most);
    const bytes = await decoded(raw, encoding, most);
    await room.resize(Math.max(raw.length, bytes?.length ?? 0));
    const asked = bytes && readConversation(bytes, place, parts.recent);
    const view = asked && (await viewOf(asked, place, exchange));
    const send = sending(exchange);
    if (!view) return { answer: await send(raw) };
    if (view.conversation !== undefined) parts.presence.came(view.conversation, exchange.client);
    const answer = await answerTo(view, asked, raw, place.dialect, parts, send);
    return { answer, tap: accounting(answer, { model: asked.model, api: place.dialect }, spentBy(view), parts) };
  } finally {
    await room.resize(0);
  }
}

/** Sends a request that is too large to be read: it may still be one that the API accepts. */
function sendUnread(body: Readable, { dialect: api, model = '' }: MessagePlace, exchange: Exchange): Promise<Answer> {
  const { vendor, parts } = exchange;
  const message = `the request has more than ${parts.limits.body_bytes} bytes and was sent unchanged`;
  parts.onEvent({ type: 'view-fail', api, model, code: 'OVER_BUDGET', message });
  return parts.sender.send(vendor, { ...outgoing(exchange), body });
}

/** The view of a request; undefined if it has none for any reason. Such a request is sent unchanged. */
async function viewOf(
  asked: ConversationRequest,
  place: MessagePlace,
  { request, parts }: Exchange,
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
function sending(exchange: Exchange): Send {
  const { vendor, parts } = exchange;
  return (body, ...dropped) => {
    const { headers, ...rest } = outgoing(exchange, 'content-length', ...dropped);
    const sent = { ...rest, headers: [...headers, 'content-length', `${body.length}`] };
    return parts.sender.send(vendor, body.length > 0 ? { ...sent, body: streamOf(body) } : sent);
  };
}

/** A stream that, unlike one of Readable.from(), forgets the bytes once they are read. */
function streamOf(bytes: Uint8Array): Readable {
  const stream = new Readable({ read() {} });
  stream.push(bytes);
  stream.push(null);
  return stream;
}

/** The answer to a view; if the API refuses its thinking, the answer to the same view without it. */
async function answerTo(
  view: FittedHistory<WireMessage>,
  { bytes, list, model }: ConversationRequest,
  raw: Uint8Array,
  api: DialectName,
  { onEvent, records }: Parts,
  send: Send,
): Promise<Answer> {
  // The request comes first: recording takes time, and an answer cannot come before it begins.
  const record = (size: number, stretches: () => readonly RequestStretch[]) =>
    void (records && setImmediate(() => void view.sent({ bytes: size, stretches })));
  const sendWhole = () => {
    record(bytes.length, () => replaceList(bytes, list, view.messages));
    return send(raw);
  };
  const sendMessages = (messages: readonly WireMessage[]) => {
    const stretches = replaceList(bytes, list, messages);
    const body = Buffer.concat(stretches.map((one) => one.bytes));
    record(body.length, () => stretches);
    return send(body, 'content-encoding');
  };
  const first = await (view.isWhole ? sendWhole() : sendMessages(view.messages));
  const { answer, isRefusal } = await readThinkingRefusal(api, first);
  const messages = isRefusal ? await view.withoutThinking() : undefined;
  if (!messages) return answer;
  onEvent({ type: 'thinking-retry', api, model, conversation: view.conversation });
  return await sendMessages(messages);
}

/** What an answer's account needs of its view, without the messages. */
type SpentView = Omit<Spent, 'model' | 'usage'> & Pick<FittedHistory<WireMessage>, 'answered'>;

function spentBy({ conversation, isWhole, metrics, answered: record }: FittedHistory<WireMessage>): SpentView {
  return { conversation, isWhole, folds: metrics?.folds, history: metrics?.historyTokens, answered: record };
}

/** Reads the usage as the answer passes, and accounts for it. */
function accounting(
  { status, headers }: Answer,
  { model, api }: { readonly model: string; readonly api: string },
  { answered: record, ...spent }: SpentView,
  { accounts, metrics }: Parts,
): Tap {
  return createUsageReader(headers, (usage) => {
    if (status >= 300) return;
    const charge = accounts.add({ ...spent, model, usage });
    metrics.answered(api, charge);
    if (!charge) return;
    const { tokens, currency, costs } = charge;
    void record(usage, tokens, currency === 'dollars' ? costs.proxied : undefined);
  });
}
