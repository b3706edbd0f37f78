import { randomBytes } from 'node:crypto';
import type { Checkpoint, ProviderEvent } from '@holdfast/agent';
import type { CrewMessage } from '../config/config.ts';
import type { CrewEvent } from '../events.ts';
import type { RequestReport } from '../usage/unbounded.ts';
import type { AgentContext } from '../usage/usage.ts';

/** A call of the newest answer, as in the state of an API provider. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The calls of one answer, with its text and the results so far. */
interface CallBatch {
  readonly text: string;
  readonly open: readonly OpenCall[];
  readonly results: Map<string, string>;
}

export interface TurnListeners {
  readonly emit: (event: CrewEvent) => void;
  /** Gets all calls of one answer with their results; the next request waits for it. */
  readonly onTools: (messages: readonly CrewMessage[]) => Promise<void>;
  readonly onUsage: (cost: number | undefined) => void;
}

/** Follows an execution: turns its events into events of the crew, and its calls into messages. */
export function watchTurn(agent: string, { emit, onTools, onUsage }: TurnListeners) {
  let text = '';
  let calls = 0;
  let reported = 0;
  const reports: RequestReport[] = [];
  let context: AgentContext | undefined;
  let batch: CallBatch | undefined;
  return {
    totals: () => ({ calls, reported, reports, ...(context ? { context } : {}) }),
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
      // Only a person at a terminal follows a command as it runs.
      if (event.type !== 'call-output') emit(crewEvent(agent, event));
    },
    async checkpoint(checkpoint: Checkpoint) {
      if (checkpoint.type === 'state') {
        const { open } = checkpoint.conversationState as { open?: { calls?: readonly OpenCall[] } };
        batch = { text, open: (open?.calls ?? []).filter(({ name }) => name !== 'hand_off'), results: new Map() };
        text = '';
      }
      const current = batch;
      if (checkpoint.type !== 'result' || !current?.open.some(({ id }) => id === checkpoint.id)) return;
      current.results.set(checkpoint.id, checkpoint.text);
      if (current.results.size < current.open.length) return;
      batch = undefined;
      await onTools(toolMessages(agent, current));
    },
  };
}

function crewEvent(agent: string, event: Exclude<ProviderEvent, { type: 'call-output' }>): CrewEvent {
  if (event.type === 'usage-report') {
    const { model: _, unsent: __, ...report } = event;
    return { ...report, agent };
  }
  if (event.type !== 'fold-end') return { ...event, agent };
  const { before, after } = event.receipt;
  return { type: 'fold-end', agent, before: before.tokens, after: after.tokens };
}

/** The calls of one answer and their results, with unique ids. */
function toolMessages(name: string, { text, open, results }: CallBatch): CrewMessage[] {
  const calls = open.map((call) => ({ call, id: `call_${randomBytes(9).toString('base64url')}` }));
  const tool_calls = calls.map(({ call, id }) => ({
    id,
    type: 'function' as const,
    function: { name: call.name, arguments: JSON.stringify(call.input ?? {}) },
  }));
  const answers = calls.map(
    ({ call, id }): CrewMessage => ({ role: 'tool', tool_call_id: id, content: results.get(call.id) ?? '' }),
  );
  return [{ role: 'assistant', name, content: text, tool_calls }, ...answers];
}
