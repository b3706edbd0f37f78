import { isRecord } from '../../../json/record.ts';
import { openaiCode, openaiWords } from '../../../rules/openai-words.ts';
import { API_PAIR_RULES, createPairs, type Pairs, type RequestViolation } from '../../../rules/pair-rules.ts';
import { FIELD_RULES, ruleOf, type ShapeFault } from '../../../rules/shape.ts';
import { brokenBy, ID_LENGTH, OPENAI_CHAT_MESSAGE_RULES, OPENAI_CHAT_STRICT_RULES } from '../rules.ts';
import type { OpenaiChatCall, OpenaiChatMessage } from '../wire.ts';
import { CHAT_BODY, CHAT_MESSAGE, CHAT_VENDOR_BODY, CHAT_VENDOR_MESSAGE } from './fields.ts';

/** What is known about a request besides its messages; a rule whose fact is absent is not checked. */
export interface OpenaiChatRequest {
  /** The messages are whole turns from the middle of a longer request. */
  readonly part?: boolean;
  /** Tokens in the whole prompt. */
  readonly input_tokens?: number;
  /** The model's window, in tokens. */
  readonly limit?: number;
  /** The whole body, to check the fields besides its messages. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** True for another maker's server: it takes fields of its own. If absent, the fields of messages are not checked. */
  readonly vendor?: boolean;
  /** The longest call id: 40 characters, or 64 behind some gateways. */
  readonly id_length?: number;
}

/** Every rule of Chat Completions that is checked, with how to fix a violation. */
export const OPENAI_CHAT_RULES = {
  ...OPENAI_CHAT_MESSAGE_RULES,
  ...API_PAIR_RULES,
  'wrong-result-id': 'Use the id of the call that the result belongs to.',
  'duplicate-call-id': 'Give each call in a message its own id.',
  ...OPENAI_CHAT_STRICT_RULES,
  ...FIELD_RULES,
  'bad-role': 'Use the role developer, system, user, assistant or tool.',
  'prompt-too-long': 'Send fewer tokens.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule, as violations give it. */
export type OpenaiChatRule = keyof typeof OPENAI_CHAT_RULES;

type Report = (index: number, rule: OpenaiChatRule, message: string, param?: string) => void;

const ROLES = ['user', 'assistant', 'tool', 'system', 'developer', 'function'];

/**
 * Every rule of Chat Completions that these messages break, by message; rules about the request come last and are
 * checked only if `request` states the facts. Pure; never throws.
 */
export function validateOpenaiChat(
  messages: readonly OpenaiChatMessage[],
  request: OpenaiChatRequest = {},
): RequestViolation[] {
  const { id_length: idLength = ID_LENGTH, input_tokens: input, limit, part, vendor } = request;
  const shape = vendor === undefined ? undefined : vendor ? CHAT_VENDOR_MESSAGE : CHAT_MESSAGE;
  const found: RequestViolation[] = [];
  const report: Report = (index, rule, message, param) =>
    found.push({ index, rule, message, fix: OPENAI_CHAT_RULES[rule], ...(param !== undefined && { param }) });
  const reportShape = (index: number) => (fault: ShapeFault) => {
    const { message, param } = openaiWords(fault);
    report(index, ruleOf(fault), message, param);
  };
  const pairs = createPairs((index, open) => {
    const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open}`;
    report(index, 'unanswered-call', text);
  });
  for (const [index, message] of messages.entries()) {
    const broken = brokenBy(message);
    if (broken === 'bad-message') {
      report(index, broken, `Invalid type for 'messages[${index}]': expected an object.`);
      return found.sort(byIndex);
    }
    // The API's words for unknown fields of a message were not recorded.
    shape?.(message, ['messages', index], reportShape(index));
    const { role, tool_calls: calls } = message;
    if (role === 'tool') checkResult(report, pairs, index, message.tool_call_id);
    // Any other message ends the results.
    else pairs.close();
    if (broken) report(index, broken, "Invalid value for 'content': expected a string, got null.");
    if (role === 'tool') checkParts(report, index, message.content);
    else if (role === 'assistant') checkCalls(report, pairs, index, Array.isArray(calls) ? calls : [], idLength);
    else if (!ROLES.includes(role)) {
      const text = `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`;
      report(index, 'bad-role', text);
    }
  }
  pairs.close();
  found.sort(byIndex);
  if (part === true) return found;
  if (input !== undefined && limit !== undefined && input > limit) {
    const text = `Input tokens exceed the configured limit of ${limit} tokens. Your messages resulted in ${input} tokens. Please reduce the length of the messages.`;
    report(-1, 'prompt-too-long', text);
  }
  const { body } = request;
  const shapes = Object.entries(vendor ? { ...CHAT_BODY, ...CHAT_VENDOR_BODY } : CHAT_BODY);
  for (const [key, own] of isRecord(body) ? shapes : [])
    if (body?.[key] !== undefined) own(body[key], [key], reportShape(-1));
  return found;
}

/** The body of the API's error for a violation, with status 400. Pure. */
export function openaiChatError(violation: RequestViolation): {
  message: string;
  type: 'invalid_request_error';
  param: string | null;
  code: string | null;
} {
  const { index, rule, message } = violation;
  const error = { message, type: 'invalid_request_error' as const, code: null };
  if (rule in FIELD_RULES) return { ...error, param: violation.param ?? null, code: openaiCode(message) };
  if (rule === 'prompt-too-long') return { ...error, param: 'messages', code: 'context_length_exceeded' };
  if (rule === 'null-content' || rule === 'result-content') return { ...error, param: `messages.[${index}].content` };
  if (rule === 'wrong-result-id') return { ...error, param: `messages.[${index}].tool_call_id` };
  if (rule === 'long-call-id') {
    const param = message.slice(message.indexOf("'") + 1, message.indexOf("':"));
    return { ...error, param, code: 'string_above_max_length' };
  }
  return { ...error, param: `messages.[${index}].role` };
}

function byIndex(a: RequestViolation, b: RequestViolation): number {
  return a.index - b.index;
}

function checkResult(report: Report, pairs: Pairs, index: number, id: string | undefined): void {
  const wasOpen = pairs.answer(id);
  if (wasOpen) return;
  if (wasOpen === false) {
    report(index, 'double-result', `Duplicate value for 'tool_call_id' of ${id} in message[${index}]`);
  } else if (pairs.size()) {
    const text = `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
    report(index, 'wrong-result-id', text);
  } else {
    const text =
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    report(index, 'orphan-result', text);
  }
}

/** Opens the calls of a message; their ids must be unique within it. */
function checkCalls(report: Report, pairs: Pairs, index: number, calls: readonly OpenaiChatCall[], most: number): void {
  const ids = new Set<string>();
  for (const [at, call] of calls.entries()) {
    const id = call?.id ?? '';
    pairs.open(call?.id, index);
    if (id.length > most) {
      const text = `Invalid 'messages[${index}].tool_calls[${at}].id': string too long. Expected a string with maximum length ${most}, but got a string with length ${id.length} instead.`;
      report(index, 'long-call-id', text);
    }
    if (ids.size === ids.add(id).size)
      report(index, 'duplicate-call-id', `Duplicate value for 'tool_call_id' of ${id} in message[${index}]`);
  }
}

function checkParts(report: Report, index: number, content: OpenaiChatMessage['content'] = []): void {
  if (typeof content === 'string' || content === null) return;
  for (const part of Array.isArray(content) ? content : [content]) {
    const type = isRecord(part) ? part.type : typeof part;
    if (type === 'text') continue;
    report(index, 'result-content', `Invalid value: '${type}'. Supported values are: 'text'.`);
  }
}
