import { settled, type Talk, withCall, withLane, withPieces, withProblem, withUtterance } from './talk.ts';

/** The events of `holdfast serve` that the page shows. */
export type CrewEvent =
  | { readonly type: 'agent-start' | 'fold-end'; readonly agent: string }
  | { readonly type: 'text-delta'; readonly agent: string; readonly text: string }
  | {
      readonly type: 'call-start';
      readonly agent: string;
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | { readonly type: 'call-end'; readonly agent: string; readonly id: string; readonly failed: boolean }
  | {
      readonly type: 'view-ready';
      readonly agent: string;
      readonly messages: number;
      readonly tokens: number;
      readonly estimated: boolean;
      readonly max: { readonly messages: number | null; readonly tokens: number | null };
    }
  | { readonly type: 'usage-report'; readonly agent: string; readonly cost?: number }
  | { readonly type: 'agent-end'; readonly agent: string; readonly error?: string }
  | {
      readonly type: 'history-append';
      readonly messages: readonly { readonly role: string; readonly content: string; readonly tool_call_id?: string }[];
    }
  | { readonly type: 'result'; readonly result: { readonly status: string; readonly reason?: string } };

/** The conversation after an event. Unknown events change nothing. Pure. */
export function after(talk: Talk, event: CrewEvent): Talk {
  switch (event.type) {
    case 'agent-start':
      return withLane(
        withUtterance(talk, { who: event.agent, role: 'agent', pieces: [], isGrowing: true }),
        event.agent,
        {
          isOn: true,
        },
      );
    case 'text-delta':
      return withPieces(talk, event.agent, (pieces) => {
        const last = pieces.at(-1);
        return typeof last === 'string' ? [...pieces.slice(0, -1), last + event.text] : [...pieces, event.text];
      });
    case 'call-start': {
      const input = JSON.stringify(event.input, null, 2) ?? '';
      const call = { id: event.id, name: event.name, input, state: 'running' as const };
      return withPieces(talk, event.agent, (pieces) => [...pieces, call]);
    }
    case 'call-end':
      return { ...talk, said: withCall(talk.said, event.id, { state: event.failed ? 'failed' : 'done' }) };
    case 'history-append':
      return { ...talk, said: withOutputs(talk.said, event.messages) };
    case 'view-ready': {
      const { messages, tokens, estimated, max } = event;
      const share = Math.max(messages / (max.messages ?? Infinity), tokens / (max.tokens ?? Infinity));
      return withLane(talk, event.agent, { size: { messages, tokens, estimated, share } });
    }
    case 'fold-end':
      return withLane(talk, event.agent, { folds: (talk.lanes[event.agent]?.folds ?? 0) + 1 });
    case 'usage-report':
      return withLane(talk, event.agent, { cost: (talk.lanes[event.agent]?.cost ?? 0) + (event.cost ?? 0) });
    case 'agent-end': {
      const done = settled(talk, event.agent);
      return event.error === undefined ? done : withProblem(done, event.agent, event.error);
    }
    case 'result': {
      const { status, reason } = event.result;
      // After stopping a request, nobody needs to hear it from each agent.
      const said = status === 'cancelled' ? withoutProblemsAtEnd(talk.said) : talk.said;
      return reason === undefined ? talk : withProblem({ ...talk, said }, 'crew', reason);
    }
    default:
      return talk;
  }
}

function withoutProblemsAtEnd(said: Talk['said']): Talk['said'] {
  return said.slice(0, said.findLastIndex(({ role }) => role !== 'problem') + 1);
}

/** Outputs, put to the calls with their ids, else to the first that has none: a crew's history has ids of its own. */
function withOutputs(
  said: Talk['said'],
  messages: Extract<CrewEvent, { type: 'history-append' }>['messages'],
): Talk['said'] {
  return messages.reduce((now, { role, content, tool_call_id: id }) => {
    if (role !== 'tool') return now;
    const calls = now.flatMap(({ pieces }) => pieces.filter((piece) => typeof piece !== 'string'));
    const call = calls.find((one) => one.id === id) ?? calls.find(({ output }) => output === undefined);
    return call ? withCall(now, call.id, { output: content }) : now;
  }, said);
}
