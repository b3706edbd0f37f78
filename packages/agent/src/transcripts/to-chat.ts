import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import { detectDialect } from 'holdfast';
import { type ChatCall, type ChatMessage, plainText, toChat } from 'holdfast/replay';
import { aiSdkToChat, uiToChat } from './ai-sdk.ts';

/** The wire formats whose messages can be converted by themselves. */
type Wire = 'anthropic' | 'openai-chat' | 'openai-responses' | 'ai-sdk';

/** The wire format that only this message can have; undefined if it can be told by no field of it. Pure. */
export function wireOf(message: unknown): Wire | undefined {
  if (isUi(fieldsOf(message))) return 'ai-sdk';
  try {
    const { name } = detectDialect([message]);
    return name === 'openai-chat' && !isChatOnly(fieldsOf(message)) ? undefined : (name as Wire);
  } catch {
    return undefined;
  }
}

function isUi({ parts, toolInvocations }: Fields): boolean {
  return Array.isArray(parts) || Array.isArray(toolInvocations);
}

function isChatOnly({ role, tool_calls: calls }: Fields): boolean {
  return role === 'tool' || calls !== undefined;
}

/** A message of these wire formats in chat form; none if it says nothing. Items of the Responses API go through `createItems`. Pure. */
export function chatMessages(message: unknown, wire: Wire): ChatMessage[] {
  const fields = fieldsOf(message);
  if (isUi(fields)) return uiToChat(fields);
  if (wire === 'ai-sdk') return aiSdkToChat(fields);
  if (wire === 'anthropic' && fields.role !== 'system') return toChat([message]);
  return [chatMessage(fields)];
}

function chatMessage({ role, content, tool_calls: calls, tool_call_id: id }: Fields): ChatMessage {
  const text = content === undefined || content === null ? null : plainText(content);
  const message = { role: String(role), content: text };
  if (Array.isArray(calls) && calls.length > 0) return { ...message, tool_calls: calls.map(chatCall) };
  return id === undefined ? message : { ...message, tool_call_id: String(id) };
}

function chatCall(given: unknown): ChatCall {
  const call = fieldsOf(given);
  const own = fieldsOf(call.function);
  const custom = fieldsOf(call.custom);
  const name = String(own.name ?? custom.name ?? 'unknown');
  const input = typeof own.arguments === 'string' ? own.arguments : JSON.stringify(own.arguments ?? custom ?? {});
  return { id: String(call.id), type: 'function', function: { name, arguments: input } };
}
