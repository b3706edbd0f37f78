import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import { type DialectName, detectDialect, dialectNamed } from 'holdfast';
import { type ChatCall, type ChatMessage, plainText, toChat } from '../index.ts';

/** The only format that this message can have; undefined if it could be any. Pure. */
export function wireOf(message: unknown): DialectName | undefined {
  if (isUi(fieldsOf(message))) return isGemini(message) ? 'gemini' : 'ai-sdk';
  const name = detected(message);
  return name === 'openai-chat' && !isChatOnly(fieldsOf(message)) ? undefined : name;
}

function detected(message: unknown): DialectName | undefined {
  try {
    return detectDialect([message]).name as DialectName;
  } catch {
    return undefined;
  }
}

function isUi({ parts, toolInvocations }: Fields): boolean {
  return Array.isArray(parts) || Array.isArray(toolInvocations);
}

/** Messages of the AI SDK's interfaces have parts, too, each with a type. */
function isGemini(message: unknown): boolean {
  return dialectNamed('gemini').recognizes(message) === true;
}

function isChatOnly({ role, tool_calls: calls }: Fields): boolean {
  return role === 'tool' || calls !== undefined;
}

/** A message in chat form; several for a message with results. Responses items go through `createItems`. Pure. */
export function chatMessages(message: unknown, wire: DialectName): ChatMessage[] {
  const fields = fieldsOf(message);
  if (wire === 'gemini') return geminiToChat(fields);
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

/** A ModelMessage of the AI SDK in chat form. Pure. */
function aiSdkToChat({ role, content }: Fields): ChatMessage[] {
  const parts = partsOf(content);
  if (role === 'tool') return parts.filter(({ type }) => type === 'tool-result').map(resultMessage);
  if (role !== 'assistant') return [{ role: String(role), content: wordsOf(parts) }];
  return [answer(parts), ...parts.filter(({ type }) => type === 'tool-result').map(resultMessage)];
}

/** A UIMessage of the AI SDK (version 4 or later) in chat form: a message per step, followed by the results of its calls. Pure. */
function uiToChat({ role, parts, content, toolInvocations }: Fields): ChatMessage[] {
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
  const calls = parts.filter(isCall).map(sdkCall);
  const text = parts
    .filter(({ type }) => type === 'text' || type === 'reasoning')
    .map((part) => String(part.text ?? part.reasoning ?? ''))
    .join('\n');
  const message = { role: 'assistant', content: text || null };
  return calls.length > 0 ? { ...message, tool_calls: calls } : message;
}

/** `tool-call`; in a UIMessage also `tool-read`, `dynamic-tool`. */
function isCall({ type, toolCallId }: Fields): boolean {
  return typeof toolCallId === 'string' && type !== 'tool-result';
}

function isAnsweredCall(part: Fields): boolean {
  return isCall(part) && ('output' in part || 'errorText' in part || 'result' in part);
}

function sdkCall(part: Fields): ChatCall {
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

/** Turns items of the Responses API into messages, one per response, passed to `say` in order. */
export function createItems(say: (message: ChatMessage) => void) {
  let words: string[] = [];
  let calls: ChatCall[] = [];
  /** Ends the pending answer, if there is one. */
  const end = (): void => {
    if (words.length > 0 || calls.length > 0) {
      const message = { role: 'assistant', content: words.join('\n') || null };
      say(calls.length > 0 ? { ...message, tool_calls: calls } : message);
    }
    words = [];
    calls = [];
  };
  return {
    end,
    /** False if the item says nothing that a message could. */
    add(given: unknown): boolean {
      const item = fieldsOf(given);
      const type = String(item.type ?? 'message');
      if (type === 'message') {
        const role = String(item.role ?? 'user');
        if (role === 'assistant') words.push(plainText(item.content));
        else {
          end();
          say({ role, content: plainText(item.content) });
        }
      } else if (type === 'reasoning') {
        const text = plainText(item.summary ?? item.content);
        if (text === '') return false;
        words.push(text);
      } else if (type.endsWith('_output')) {
        end();
        say({ role: 'tool', tool_call_id: String(item.call_id ?? item.id), content: outputText(item.output) });
      } else if (type.endsWith('_call') && (item.call_id ?? item.id) !== undefined && isClients(type)) {
        calls.push(itemCall(item, type));
      } else return false;
      return true;
    },
  };
}

/** Calls that the server runs have no output item. */
function isClients(type: string): boolean {
  return /^(?:function|custom_tool|local_shell|shell|apply_patch|computer)_call$/.test(type);
}

function itemCall(item: Fields, type: string): ChatCall {
  const name = typeof item.name === 'string' ? item.name : type.replace(/_call$/, '');
  const { arguments: own, input, action, operation } = item;
  const given =
    typeof own === 'string'
      ? own
      : JSON.stringify(own ?? (input === undefined ? (action ?? operation ?? {}) : { input }));
  return { id: String(item.call_id ?? item.id), type: 'function', function: { name, arguments: given } };
}

/** Older recorders wrap the text: `{"output": …, "metadata": …}`. */
function outputText(output: unknown): string {
  const { content, output: inner } = fieldsOf(output);
  return plainText(content ?? inner ?? output);
}

/** One of Gemini's contents in chat form: results first, each a message of its own. Pure. */
function geminiToChat(content: Fields): ChatMessage[] {
  const dialect = dialectNamed('gemini');
  const { calls, results, words } = dialect.read(content);
  const answers = results.map(({ id, content: result }) => ({
    role: 'tool',
    tool_call_id: id,
    content: plainText(result),
  }));
  const text = words ? dialect.text(content) : null;
  if (content.role !== 'model') return text === null ? answers : [...answers, { role: 'user', content: text }];
  const made = calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  return [{ role: 'assistant', content: text, ...(made.length > 0 ? { tool_calls: made } : {}) }];
}
