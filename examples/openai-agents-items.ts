import { type AgentInputItem, assistant } from '@openai/agents';

export type Item = Readonly<Record<string, unknown>>;

/** Adds the names that the Responses API uses to an item of the SDK; the SDK's own names stay. */
export function toResponses(item: AgentInputItem): Item {
  if (item.type === 'function_call') {
    const { id: _, providerData, ...call } = item; // sessions store calls without ids, so drop them to keep the history unchanged
    return { ...call, providerData: { ...providerData, id: undefined }, call_id: item.callId };
  }
  if (item.type !== 'function_call_result') return item;
  const { output } = item;
  const text = typeof output === 'object' && 'text' in output ? output.text : output;
  return { ...item, type: 'function_call_output', call_id: item.callId, output: text };
}

/** Converts back: unchanged items, and those a fold made (notes and shortened outputs). */
export function fromResponses(item: Item): AgentInputItem {
  if (item.type === 'function_call_output') return { ...item, type: 'function_call_result' } as AgentInputItem;
  const isNote = item.role === 'assistant' && typeof item.content === 'string';
  return isNote ? assistant(String(item.content)) : (item as AgentInputItem);
}
