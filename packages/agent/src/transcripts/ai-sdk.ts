import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import { type ChatCall, type ChatMessage, plainText } from 'holdfast/replay';

/** A ModelMessage of the AI SDK in chat form. Pure. */
export function aiSdkToChat({ role, content }: Fields): ChatMessage[] {
  const parts = partsOf(content);
  if (role === 'tool') return parts.filter(({ type }) => type === 'tool-result').map(resultMessage);
  if (role !== 'assistant') return [{ role: String(role), content: wordsOf(parts) }];
  return [answer(parts), ...parts.filter(({ type }) => type === 'tool-result').map(resultMessage)];
}

/** A UIMessage of the AI SDK in chat form, of version 4 or later: a message for each step, with the results behind its calls. Pure. */
export function uiToChat({ role, parts, content, toolInvocations }: Fields): ChatMessage[] {
  const all = Array.isArray(parts)
    ? partsOf(parts).map(invocationOf)
    : [...partsOf(toolInvocations), ...partsOf(content)];
  if (role !== 'assistant') return [{ role: String(role), content: wordsOf(all) }];
  const steps: Fields[][] = [[]];
  for (const part of all) {
    if (part.type === 'step-start') steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps
    .filter((step) => step.length > 0)
    .flatMap((step) => [answer(step), ...step.filter(isAnsweredCall).map(resultMessage)]);
}

/** Version 4 wraps calls: `{ type: 'tool-invocation', toolInvocation: … }`. */
function invocationOf(part: Fields): Fields {
  return part.type === 'tool-invocation' ? fieldsOf(part.toolInvocation) : part;
}

function answer(parts: readonly Fields[]): ChatMessage {
  const calls = parts.filter(isCall).map(chatCall);
  const text = parts
    .filter(({ type }) => type === 'text' || type === 'reasoning')
    .map((part) => String(part.text ?? part.reasoning ?? ''))
    .join('\n');
  const message = { role: 'assistant', content: text || null };
  return calls.length > 0 ? { ...message, tool_calls: calls } : message;
}

/** `tool-call`, or in a UIMessage `tool-read`, `dynamic-tool`. */
function isCall({ type, toolCallId }: Fields): boolean {
  return typeof toolCallId === 'string' && type !== 'tool-result';
}

function isAnsweredCall(part: Fields): boolean {
  return isCall(part) && ('output' in part || 'errorText' in part || 'result' in part);
}

function chatCall(part: Fields): ChatCall {
  const name = String(part.toolName ?? String(part.type).replace(/^tool-/, ''));
  const input = JSON.stringify(part.input ?? part.args ?? {});
  return { id: String(part.toolCallId), type: 'function', function: { name, arguments: input } };
}

function resultMessage(part: Fields): ChatMessage {
  const output = part.output ?? part.result ?? part.errorText;
  const { type, value } = fieldsOf(output);
  const content = type === undefined || value === undefined ? output : value;
  return { role: 'tool', tool_call_id: String(part.toolCallId), content: plainText(content) };
}

function partsOf(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map(fieldsOf) : [];
}

function wordsOf(parts: readonly Fields[]): string {
  return parts.map((part) => (typeof part.text === 'string' ? part.text : '[attachment]')).join('\n');
}
