import type { Violation } from '../../dialect.ts';
import { DEPTH } from '../../json/depth.ts';
import { bytesOf, jsonForm } from '../../json/plain.ts';
import { isRecord } from '../../json/record.ts';
import type { AiSdkMessage } from './wire.ts';

/** The rules for messages, except pairing, with how to fix a violation. */
export const AI_SDK_MESSAGE_RULES = {
  'no-messages': 'Send at least one message.',
  'bad-message': 'Send an object with a role and content.',
  'bad-role': 'Use the role system, user, assistant or tool.',
  'bad-content': 'Use a string in a system message, a list of parts in a tool message, and either in others.',
  'bad-part': 'Send parts that this role allows, each with all required fields.',
  'bad-output': 'Use an output of a known type, with its value.',
  'bad-data': 'Use base64, bytes, a URL (also a data URL) or a reference for a file.',
  'bad-options': 'Use plain JSON in providerOptions, by provider.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule, as violations give it. */
export type AiSdkMessageRule = keyof typeof AI_SDK_MESSAGE_RULES;

type Check = (value: unknown) => boolean;
/** The required fields of a part. */
type Fields = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === 'string';
const isBytes: Check = (value) => bytesOf(value) !== undefined;
const isReference: Check = (value) => isPlain(value) && Object.values(value).every(isText);
const isFileId: Check = (value) => isText(value) || isReference(value);
const isAddress: Check = (value) => isText(value) && /^[a-z][a-z\d+.-]*:/i.test(String(value));
/** A URL, or the text that JSON makes of it. */
const isUrl: Check = (value) => isAddress(jsonForm(value)) && !/^data:[^,]*$/.test(String(value));
/** Only the beginning, because the SDK decodes no more. */
const isBase64: Check = (value) => isText(value) && /^[\w+/=\s-]*$/.test(String(value).slice(0, 24));
const isInline: Check = (value) => isBytes(value) || isBase64(value) || isAddress(value);

const TAGGED: Readonly<Record<string, Fields>> = {
  data: { data: (value) => isBytes(value) || isBase64(value) },
  url: { url: isUrl },
  reference: { reference: isReference },
  text: { text: isText },
};
const isTagged: Check = (value) => isOneOf(TAGGED, value);
const isReasoningData: Check = (value) =>
  isInline(value) || (isRecord(value) && /^(?:data|url)$/.test(String(value.type)) ? isTagged(value) : isUrl(value));
const isData: Check = (value) =>
  isInline(value) ||
  (isRecord(value) && String(value.type) in TAGGED ? isTagged(value) : isUrl(value) || isReference(value));

// No spreads: a bundler keeps those even where nothing uses them.
const TEXT = { text: isText };
const FILE = { data: isData, mediaType: isText };
const RESULT = { toolCallId: isText, toolName: isText, output: isOutput };
const PARTS: Readonly<Record<string, Readonly<Record<string, Fields>>>> = {
  user: { text: TEXT, file: FILE, image: { image: isData } },
  assistant: {
    text: TEXT,
    file: FILE,
    'tool-result': RESULT,
    reasoning: TEXT,
    'reasoning-file': { data: isReasoningData, mediaType: isText },
    custom: { kind: isText },
    'tool-call': { toolCallId: isText, toolName: isText },
    'tool-approval-request': { approvalId: isText, toolCallId: isText },
  },
  tool: {
    'tool-result': RESULT,
    'tool-approval-response': { approvalId: isText, approved: (value) => typeof value === 'boolean' },
  },
};
const ITEMS: Readonly<Record<string, Fields>> = {
  text: TEXT,
  file: { data: isTagged, mediaType: isText },
  'file-data': { data: isText, mediaType: isText },
  'file-url': { url: isAddress },
  'file-id': { fileId: isFileId },
  'file-reference': { providerReference: isReference },
  'image-data': { data: isText, mediaType: isText },
  'image-url': { url: isAddress },
  'image-file-id': { fileId: isFileId },
  'image-file-reference': { providerReference: isReference },
  custom: {},
};

/** The first rule above that each of these messages breaks. Pure; never throws. */
export function validateAiSdk(
  messages: readonly AiSdkMessage[],
  request: { readonly part?: boolean } = {},
): Violation[] {
  const found: Violation[] = [];
  const report = (rule: AiSdkMessageRule, index: number) =>
    found.push({ index, rule, fix: AI_SDK_MESSAGE_RULES[rule] });
  if (messages.length === 0 && !request.part) report('no-messages', -1);
  for (const [index, message] of messages.entries()) {
    const rule = brokenBy(message);
    if (rule) report(rule, index);
  }
  return found;
}

/** The first of the rules above that this message breaks, if any. */
export function brokenBy(message: AiSdkMessage | undefined): AiSdkMessageRule | undefined {
  if (!isRecord(message) || message.content === undefined) return 'bad-message';
  const { role, content } = message;
  if (!isOptions(message)) return 'bad-options';
  if (role === 'system') return isText(content) ? undefined : 'bad-content';
  const parts = Object.hasOwn(PARTS, role) ? PARTS[role] : undefined;
  if (!parts) return 'bad-role';
  if (typeof content === 'string') return role === 'tool' ? 'bad-content' : undefined;
  if (!Array.isArray(content)) return 'bad-content';
  for (const part of content) {
    const rule = brokenPart(parts, part);
    if (rule) return rule;
  }
  return undefined;
}

function brokenPart(parts: Readonly<Record<string, Fields>>, part: unknown): AiSdkMessageRule | undefined {
  const fields = isRecord(part) && Object.hasOwn(parts, String(part.type)) ? parts[String(part.type)] : undefined;
  if (!isRecord(part) || !fields) return 'bad-part';
  if (!isOptions(part)) return 'bad-options';
  const wrong = Object.keys(fields).find((field) => !fields[field]?.(part[field]));
  if (wrong === undefined) return undefined;
  return wrong === 'output' ? 'bad-output' : wrong === 'data' || wrong === 'image' ? 'bad-data' : 'bad-part';
}

function isOneOf(kinds: Readonly<Record<string, Fields>>, value: unknown): boolean {
  return brokenPart(kinds, value) === undefined;
}

function isOutput(output: unknown): boolean {
  if (!isRecord(output) || !isOptions(output)) return false;
  const { type, value, reason } = output;
  if (type === 'text' || type === 'error-text') return isText(value);
  if (type === 'json' || type === 'error-json') return isJson(value);
  if (type === 'execution-denied') return reason === undefined || isText(reason);
  return type === 'content' && Array.isArray(value) && value.every((item) => isOneOf(ITEMS, item));
}

function isOptions({ providerOptions: options }: Readonly<Record<string, unknown>>): boolean {
  return options === undefined || (isPlain(options) && Object.values(options).every(isPlain) && isJson(options));
}

/** False also for a value with too many levels, or a cycle. */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  if (value === null) return true;
  if (depth > DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
  return isPlain(value) && Object.values(value).every((item) => item === undefined || isJson(item, depth + 1));
}

function isPlain(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}
