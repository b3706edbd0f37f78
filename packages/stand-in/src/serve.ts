import type { IncomingMessage, ServerResponse } from 'node:http';
import { envelope, faultRefusal } from './envelope.ts';
import { deliver } from './faults/deliver.ts';
import type { Fault } from './faults/fault.ts';
import type { FaultPlan } from './faults/plan.ts';
import { type Arrived, arrive } from './http.ts';
import { parsed } from './json.ts';
import { keepRecord, type RecordedRequest } from './record.ts';
import { Refusal } from './refusal.ts';
import { checkKey, findRoute, isAnthropic, type Route } from './routes.ts';
import type { State } from './state.ts';

/** What a server has for its requests. */
export interface Serving {
  readonly state: State;
  readonly plan: FaultPlan;
  readonly requests: RecordedRequest[];
  readonly bodies: number;
}

/** Serves one request and records it. Rejects if the client leaves before all of it arrived. */
export async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { state, plan, requests, bodies } = serving;
  const arrived = await arrive(request);
  const route = findRoute(arrived);
  const fault = route?.failure ? plan.next() : undefined;
  const id = `req_stand_in_${state.count()}`;
  const record = (rest: Pick<RecordedRequest, 'verdict' | 'status' | 'error' | 'usage'>) => {
    const { method, path, body } = arrived;
    const value = body.length === 0 ? undefined : parsed(body.toString('utf8'));
    keepRecord(
      requests,
      { method, path, api: route?.api, body: value, ...(fault && { fault: fault.kind }), ...rest },
      bodies,
    );
  };
  response.setHeader('x-stand-in', 'no model');
  response.setHeader(isAnthropic(arrived) ? 'request-id' : 'x-request-id', id);
  if (fault?.kind === 'reset') {
    record({ verdict: 'failed', status: 0 });
    response.socket?.resetAndDestroy();
    return;
  }
  try {
    const outcome = await answer(arrived, route, fault, state);
    const { usage, refusal } = outcome;
    const error = refusal && { message: refusal.message, rule: refusal.rule };
    record({
      verdict: refusal ? 'refused' : 'answered',
      status: 200,
      ...(usage && { usage }),
      ...(error && { error }),
    });
    await deliver(response, outcome, fault, route?.failure ?? { data: '' });
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, `The stand-in failed: ${error}`);
    const { status, message, rule } = refusal;
    const isFault =
      fault !== undefined &&
      (status >= 500 || status === 429 || (fault.kind === 'too-long' && rule === 'prompt-too-long'));
    record({ verdict: isFault ? 'failed' : 'refused', status, error: { message, rule } });
    const wait = fault?.kind === 'rate-limit' ? { 'retry-after': `${fault.retry_after ?? 1}` } : {};
    const sent = fault?.kind === 'error-body' && isFault ? 200 : status;
    response.writeHead(sent, { 'content-type': 'application/json', ...wait });
    response.end(JSON.stringify(envelope(refusal, isAnthropic(arrived), id)));
  }
}

async function answer(arrived: Arrived, route: Route | undefined, fault: Fault | undefined, state: State) {
  checkKey(arrived);
  const refused = fault && faultRefusal(fault, isAnthropic(arrived));
  if (refused) throw refused;
  if (!route) throw unknownPath(arrived);
  const outcome = await route.serve(arrived, state, fault?.kind === 'too-long' ? fault : undefined);
  if (fault?.kind === 'error-event' && !outcome.events) {
    throw faultRefusal({ kind: 'server-error' }, isAnthropic(arrived));
  }
  return outcome;
}

function unknownPath(arrived: Arrived): Refusal {
  const { method, path } = arrived;
  if (isAnthropic(arrived)) return new Refusal(404, 'Not Found');
  return new Refusal(404, `Invalid URL (${method} ${path})`);
}
