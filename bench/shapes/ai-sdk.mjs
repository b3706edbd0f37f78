// Chat messages as AI SDK messages (also the shape of the prompt that Mastra hands to its processors).
import { argumentsOf, isSystem, openedByUser } from '../peer.mjs';

/**
 * A list of AI SDK messages that is built from chat messages and maps back to them after pruning.
 * Parallel results share one tool message. Peers never copy parts, so parts identify their messages.
 *
 * @param {{ lateSystem: 'system' | 'user' }} options the role of a mid-conversation system message
 */
export function aiSdkMessages({ lateSystem }) {
  const messages = [];
  const nameOf = new Map();
  const sourceOf = new WeakMap();
  const partsOf = new Map();
  let leading = true;

  const add = (role, content, source) => {
    const message = { role, content };
    messages.push(message);
    if (typeof content === 'string') sourceOf.set(message, source);
    else for (const part of content) sourceOf.set(part, source);
    partsOf.set(source, content.length);
  };

  const push = (m) => {
    leading &&= isSystem(m);
    if (m.role === 'assistant') {
      const calls = (m.tool_calls ?? []).map((call) => {
        nameOf.set(call.id, call.function.name);
        return { type: 'tool-call', toolCallId: call.id, toolName: call.function.name, input: argumentsOf(call) };
      });
      add('assistant', [...(m.content ? [{ type: 'text', text: m.content }] : []), ...calls], m);
    } else if (m.role === 'tool') {
      const part = {
        type: 'tool-result',
        toolCallId: m.tool_call_id,
        toolName: nameOf.get(m.tool_call_id) ?? 'unknown',
        output: { type: 'text', value: m.content ?? '' },
      };
      const last = messages.at(-1);
      if (last?.role !== 'tool') return add('tool', [part], m);
      last.content.push(part);
      sourceOf.set(part, m);
    } else if (isSystem(m) && (leading || lateSystem === 'system')) {
      add('system', m.content ?? '', m);
    } else {
      add('user', [{ type: 'text', text: m.content ?? '' }], m);
    }
  };

  const sourcesOf = (message) => {
    if (typeof message.content === 'string') return [sourceOf.get(message)];
    if (message.role !== 'assistant') return message.content.map((part) => sourceOf.get(part));
    if (message.content.length === 0) return [];
    const source = sourceOf.get(message.content[0]);
    if (message.content.length === partsOf.get(source)) return [source];
    const text = message.content.filter((part) => part.type === 'text').map((part) => part.text);
    const kept = new Set(message.content.map((part) => part.toolCallId));
    const calls = (source.tool_calls ?? []).filter((call) => kept.has(call.id));
    return [{ role: 'assistant', content: text.join('') || null, ...(calls.length ? { tool_calls: calls } : {}) }];
  };

  const chat = (result) => {
    if (lateSystem === 'system') return result.flatMap(sourcesOf);
    const head = result.filter((message) => message.role === 'system');
    return [...head.flatMap(sourcesOf), ...openedByUser(result.slice(head.length).flatMap(sourcesOf))];
  };

  return { messages, push, chat };
}
