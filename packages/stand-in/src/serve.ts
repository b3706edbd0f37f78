import type { IncomingMessage, ServerResponse } from 'node:http';
import { deliver } from './deliver.ts';
import type { Arrived } from './exchange.ts';
import type { Fault, FaultPlan } from './faults.ts';
import { parsed } from './json.ts';
import { errorBody, faultRefusal, Refusal } from './refusal.ts';
import { checkKey, errorForm, findRoute, type Route } from './routes.ts';
import type { RecordedRequest, State } from './state.ts';

/** What a server needs to serve requests. `bodies`: how many of the newest requests keep their body. */
export interface Serving {
  readonly state: State;
  readonly plan: FaultPlan;
  readonly requests: RecordedRequest[];
  readonly bodies: number;
}

/** Serves one request and records it. Rejects if the client disconnects before all of it arrived. */
export async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { state, plan, requests, bodies } = serving;
  const arrived = await arrive(request);
  const route = findRoute(arrived);
  const fault = route?.failure ? plan.next() : undefined;
  const id = `req_stand_in_${state.count()}`;
  const record = (rest: Pick<RecordedRequest, 'verdict' | 'status' | 'error' | 'usage'>) => {
    const { method, path } = arrived;
    const body = arrived.body.length === 0 ? undefined : parsed(arrived.body);
    requests.push({ method, path, api: route?.api, body, ...(fault && { fault: fault.kind }), ...rest });
    const old = requests[requests.length - 1 - bodies];
    if (old) old.body = undefined;
  };
  response.setHeader('x-stand-in', 'no model');
  const form = errorForm(arrived);
  response.setHeader(form === 'anthropic' ? 'request-id' : 'x-request-id', id);
  if (fault?.kind === 'reset') {
    record({ verdict: 'failed', status: 0 });
    response.socket?.resetAndDestroy();
    return;
  }
  try {
    const outcome = await answer(arrived, route, fault, state);
    const { usage, refusal } = outcome;
    const error = refusal && { message: refusal.message, rule: refusal.fields.rule };
    const verdict = refusal ? 'refused' : 'answered';
    record({ verdict, status: 200, ...(usage && { usage }), ...(error && { error }) });
    await deliver(response, outcome, fault, route?.failure ?? { data: '' });
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, `The stand-in failed: ${error}`);
    const { status, message } = refusal;
    const { rule } = refusal.fields;
    const isFault =
      fault !== undefined &&
      (status >= 500 || status === 429 || (fault.kind === 'too-long' && rule === 'prompt-too-long'));
    record({ verdict: isFault ? 'failed' : 'refused', status, error: { message, rule } });
    const wait = fault?.kind === 'rate-limit' ? { 'retry-after': `${fault.retry_after ?? 1}` } : {};
    const sent = fault?.kind === 'error-body' && isFault ? 200 : status;
    response.writeHead(sent, { 'content-type': 'application/json', ...wait });
    response.end(JSON.stringify(errorBody(refusal, form, id)));
  }
}

async function answer(arrived: Arrived, route: Route | undefined, fault: Fault | undefined, state: State) {
  const form = errorForm(arrived);
  if (!route?.open) checkKey(arrived);
  const refused = fault && faultRefusal(fault, form);
  if (refused) throw refused;
  if (!route)
    throw new Refusal(404, form === 'openai' ? `Invalid URL (${arrived.method} ${arrived.path})` : 'Not Found');
  const limitOf =
    ({ limit }: { limit?: number }) =>
    (tokens: number) =>
      limit ?? Math.floor(tokens * 0.9);
  const outcome = await route.serve(arrived, state, fault?.kind === 'too-long' ? limitOf(fault) : undefined);
  if (fault?.kind === 'error-event' && !outcome.events) throw faultRefusal({ kind: 'server-error' }, form);
  return outcome;
}

const BODY_BYTES = 256 * 1024 * 1024;

/** Reads a whole request; a body larger than any API accepts is cut. Rejects if the client disconnects. */
async function arrive(request: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part: Buffer = chunk;
    bytes += part.length;
    if (bytes <= BODY_BYTES) chunks.push(part);
  }
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://stand-in');
  return {
    method: request.method ?? 'GET',
    path: pathname.replace(/\/+$/, ''),
    query,
    header: (name) => [request.headers[name] ?? []].flat().join(',') || undefined,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
