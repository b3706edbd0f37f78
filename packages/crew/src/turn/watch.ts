import { randomBytes } from 'node:crypto';
import type { ProviderEvent } from '@holdfast/agent';
import type { CrewMessage } from '../config/config.ts';
import type { CrewEvent } from '../events.ts';
import type { Report } from '../usage/unbounded.ts';
import type { ContextUse } from '../usage/usage.ts';

/** A call of the last answer, as the state of an API provider has it. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Who is told of what an execution does. */
export interface Listening {
  readonly emit: (event: CrewEvent) => void;
  /** Takes the calls of one answer and their results, all of them; waited for before the next request. */
  readonly onTools: (messages: readonly CrewMessage[]) => Promise<void>;
  readonly onUsage: (cost: number | undefined) => void;
}

/** Follows an execution: what it says becomes events of the crew, its calls become messages. */
export function watchTurn(agent: string, { emit, onTools, onUsage }: Listening) {
  let text = '';
  let calls = 0;
  let reported = 0;
  const reports: Report[] = [];
  let context: ContextUse | undefined;
  let batch:
    | { readonly text: string; readonly open: readonly OpenCall[]; readonly results: Map<string, string> }
    | undefined;
  return {
    told: () => ({ calls, reported, reports, ...(context ? { context } : {}) }),
    event(event: ProviderEvent) {
      if (event.type === 'text-delta') text += event.text;
      else if (event.type === 'request-retry') text = '';
      else if (event.type === 'call-start') calls++;
      else if (event.type === 'view-ready') {
        const { type: _, ...use } = event;
        context = use;
      } else if (event.type === 'usage-report') {
        reported++;
        const { usage, model, unsent, cost } = event;
        if (model !== undefined && unsent !== undefined)
          reports.push({ usage, model, unsent, ...(cost === undefined ? {} : { cost }) });
        onUsage(cost);
      }
      emit(crewEvent(agent, event));
    },
    async checkpoint(checkpoint: {
      readonly type: string;
      readonly id?: string;
      readonly text?: string;
      readonly conversationState?: unknown;
    }) {
      if (checkpoint.type === 'state') {
        const { open } = checkpoint.conversationState as { open?: { calls?: readonly OpenCall[] } };
        batch = { text, open: (open?.calls ?? []).filter(({ name }) => name !== 'hand_off'), results: new Map() };
        text = '';
      }
      if (checkpoint.type !== 'result' || !batch) return;
      if (batch.open.some(({ id }) => id === checkpoint.id))
        batch.results.set(checkpoint.id ?? '', checkpoint.text ?? '');
      if (batch.results.size < batch.open.length || batch.open.length === 0) return;
      const messages = toolMessages(agent, batch.text, batch.open, batch.results);
      batch = undefined;
      await onTools(messages);
    },
  };
}

function crewEvent(agent: string, event: ProviderEvent): CrewEvent {
  if (event.type === 'usage-report') {
    const { model: _, unsent: __, ...report } = event;
    return { ...report, agent };
  }
  if (event.type !== 'fold-end') return { ...event, agent };
  const { before, after } = event.receipt;
  return { type: 'fold-end', agent, before: before.tokens, after: after.tokens };
}

/** The calls of one answer and their results, with ids that are nobody else's. */
function toolMessages(
  name: string,
  text: string,
  calls: readonly OpenCall[],
  results: ReadonlyMap<string, string>,
): CrewMessage[] {
  const own = calls.map((call) => ({ call, id: `call_${randomBytes(9).toString('base64url')}` }));
  const tool_calls = own.map(({ call, id }) => ({
    id,
    type: 'function' as const,
    function: { name: call.name, arguments: JSON.stringify(call.input ?? {}) },
  }));
  const answers = own.map(
    ({ call, id }): CrewMessage => ({ role: 'tool', tool_call_id: id, content: results.get(call.id) ?? '' }),
  );
  return [{ role: 'assistant', name, content: text, tool_calls }, ...answers];
}
