// Chat messages as Strands messages, and the parts of an agent that its conversation managers need.
import {
  AfterInvocationEvent,
  BeforeModelCallEvent,
  configureLogging,
  Message,
  Model,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '@strands-agents/sdk';
import { total } from '../measure.mjs';
import { argumentsOf, SUMMARY, systemHead } from '../peer.mjs';

const quiet = () => {};
configureLogging({ debug: quiet, info: quiet, warn: quiet, error: quiet });

/** A model with a window of `contextWindowLimit` tokens that answers every request with the fixed summary. */
class FixedModel extends Model {
  constructor(contextWindowLimit) {
    super();
    this.config = { modelId: 'fixed', contextWindowLimit };
  }
  getConfig() {
    return this.config;
  }
  updateConfig() {}
  // biome-ignore lint/correctness/useYield: the answer is the return value; nothing is streamed
  async *streamAggregated() {
    return { message: new Message({ role: 'assistant', content: [new TextBlock(SUMMARY)] }), stopReason: 'endTurn' };
  }
}

const resultBlock = (m) =>
  new ToolResultBlock({ toolUseId: m.tool_call_id, status: 'success', content: [new TextBlock(m.content ?? '')] });

function toStrands(m) {
  if (m.role === 'tool') return new Message({ role: 'user', content: [resultBlock(m)] });
  const text = m.content ? [new TextBlock(m.content)] : [];
  if (m.role !== 'assistant') return new Message({ role: 'user', content: text });
  const calls = (m.tool_calls ?? []).map(
    (call) => new ToolUseBlock({ toolUseId: call.id, name: call.function.name, input: argumentsOf(call) }),
  );
  return new Message({ role: 'assistant', content: [...text, ...calls] });
}

/**
 * A session that fires the hooks which a Strands agent fires: after an invocation (the assistant answered without a
 * call and the user writes again) and before each model call, with the size of the prompt.
 *
 * @param {{ contextWindowLimit?: number, invocationPerCall?: boolean }} [options] `invocationPerCall` ends the
 *   invocation before each model call, for callers who drive an agent one step at a time
 */
export function strandsSession(manager, { contextWindowLimit, invocationPerCall = false } = {}) {
  const hooks = new Map();
  const agent = {
    messages: [],
    addHook: (type, hook) => hooks.set(type, [...(hooks.get(type) ?? []), hook]),
  };
  manager.initAgent(agent);
  const fire = async (type, event) => {
    for (const hook of hooks.get(type) ?? []) await hook(event);
  };

  const model = new FixedModel(contextWindowLimit);
  const head = systemHead('user');
  const sourcesOf = new WeakMap();
  let pending = [];
  let newest;
  let answered = false;
  let promptTokens = 0;

  return {
    push(m) {
      promptTokens += total([m]);
      if (head.take(m)) return;
      if (m.role === 'tool' && newest && sourcesOf.get(newest)[0].role === 'tool') {
        newest.content.push(resultBlock(m));
        sourcesOf.get(newest).push(m);
        return;
      }
      newest = toStrands(m);
      sourcesOf.set(newest, [m]);
      pending.push({ message: newest, startsInvocation: m.role === 'user' && answered });
      answered = m.role === 'assistant' && !m.tool_calls?.length;
    },
    async run() {
      for (const { message, startsInvocation } of pending) {
        if (startsInvocation) await fire(AfterInvocationEvent, { agent });
        agent.messages.push(message);
      }
      pending = [];
      if (invocationPerCall) await fire(AfterInvocationEvent, { agent });
      await fire(BeforeModelCallEvent, { agent, model, projectedInputTokens: promptTokens });
      return agent.messages;
    },
    chat(messages) {
      const view = head.before(
        messages.flatMap((message) => {
          if (!sourcesOf.has(message)) {
            sourcesOf.set(message, [{ role: message.role, content: message.content.map((b) => b.text).join('\n') }]);
          }
          return sourcesOf.get(message);
        }),
      );
      promptTokens = total(view);
      return view;
    },
  };
}
