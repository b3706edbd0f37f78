// OpenAI Agents: a `MemorySession` read with `getItems(40)`. An item is a text, a call or a result, so one chat
// message may be several items. Instructions belong to the agent, outside the session. `run` stores the new items
// and reads the last 40, as a runner would; the session copies items, so ids identify them.
import { MemorySession } from '@openai/agents-core';
import { definePeer, isSystem, systemHead, WINDOW } from '../peer.mjs';

function toItems(m) {
  const content = m.content ?? '';
  if (m.role === 'tool') {
    return [
      {
        type: 'function_call_result',
        callId: m.tool_call_id,
        name: 'tool',
        status: 'completed',
        output: { type: 'text', text: content },
      },
    ];
  }
  if (m.role === 'user') return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: content }] }];
  if (isSystem(m)) return [{ type: 'message', role: 'system', content }];
  const calls = (m.tool_calls ?? []).map((call) => ({
    type: 'function_call',
    callId: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
    status: 'completed',
  }));
  const text = {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: content }],
  };
  return content || calls.length === 0 ? [text, ...calls] : calls;
}

function toChat(source, items) {
  const ids = new Set(items.map((item) => item.callId));
  const calls = source.tool_calls.filter((call) => ids.has(call.id));
  const text = items.some((item) => item.type === 'message') ? source.content : null;
  return { role: 'assistant', content: text, ...(calls.length ? { tool_calls: calls } : {}) };
}

function open() {
  const session = new MemorySession();
  const head = systemHead('system');
  const sources = [];
  const counts = [];
  let pending = [];
  return {
    push(m) {
      if (head.take(m)) return;
      const items = toItems(m).map((item, part) => ({ ...item, id: `${sources.length}.${part}` }));
      sources.push(m);
      counts.push(items.length);
      pending.push(...items);
    },
    async run() {
      await session.addItems(pending);
      pending = [];
      return session.getItems(WINDOW);
    },
    chat(items) {
      const bySource = Map.groupBy(items, (item) => Number.parseInt(item.id, 10));
      return head.before(
        [...bySource].map(([at, kept]) => (kept.length === counts[at] ? sources[at] : toChat(sources[at], kept))),
      );
    },
  };
}

export default definePeer({
  name: 'OpenAI Agents getItems(40)',
  package: '@openai/agents-core',
  budget: 'messages:40',
  stateful: true,
  open,
});
