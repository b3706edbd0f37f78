import { blockChars, contentText, isRecord, jsonChars } from '../content.ts';
import type { Call, Dialect, Reading } from '../dialect.ts';
import { audioTokens, imageSize, openaiImageTokens, pdfTokens } from '../media.ts';
import { isMarked, withMarkers } from './markers.ts';
import { validateOpenaiChat } from './openai-chat-rules.ts';
import type { OpenaiChatMessage } from './openai-chat-wire.ts';

const OWN_PART = /^(?:image_url|input_audio|file|refusal)$/;

/** The OpenAI Chat Completions format, as many compatible servers speak it. */
export function openaiChat(): Dialect<OpenaiChatMessage> {
  return {
    name: 'openai-chat',
    thinking: 'free',
    uniqueCallIds: false,
    resultsTogether: false,
    systemInside: 'anywhere',
    read,
    text: (message) => contentText(message.content),
    maskResults: (message, texts) => {
      const text = texts.get(0);
      return text === undefined ? message : { ...message, content: text };
    },
    maskText: (message, text) => ({ ...message, content: text }),
    withoutThinking: (message) => message,
    withMarkers,
    note: (role, text) => ({ role, content: text }),
    validate: validateOpenaiChat,
    recognizes,
  };
}

function read(message: OpenaiChatMessage): Reading {
  const { role, content, tool_calls } = message;
  const tool = role === 'tool';
  const calls = role === 'assistant' && Array.isArray(tool_calls) ? tool_calls.map(readCall) : [];
  let chars = typeof content === 'string' ? content.length : 0;
  let media = 0;
  let markers = 0;
  if (Array.isArray(content)) {
    for (const part of content) {
      const tokens = partMedia(part);
      media += tokens;
      if (tokens === 0) chars += blockChars(part);
      if (isMarked(part)) markers++;
    }
  }
  for (const { name, input } of calls)
    chars += name.length + (typeof input === 'string' ? input.length : jsonChars(input)) + 20;
  return {
    role: roleOf(role),
    chars,
    media,
    calls,
    results: tool ? [{ id: String(message.tool_call_id), content, error: false }] : [],
    words: !tool && Boolean(content?.length),
    thinking: false,
    markers,
    joined: false,
  };
}

function roleOf(role: string): Reading['role'] {
  if (role === 'tool' || role === 'assistant') return role;
  return role === 'developer' || role === 'system' ? 'system' : 'user';
}

function readCall(call: unknown): Call {
  const record = isRecord(call) ? call : {};
  const body = isRecord(record.function) ? record.function : isRecord(record.custom) ? record.custom : {};
  return { id: String(record.id), name: String(body.name ?? ''), input: body.arguments ?? body.input };
}

/** 0 for all that is sent as text. */
function partMedia(part: unknown): number {
  if (!isRecord(part)) return 0;
  const { image_url: image, file, input_audio: audio } = part;
  if (isRecord(image)) return openaiImageTokens(imageSize(image.url), image.detail);
  if (image) return openaiImageTokens(imageSize(image));
  if (isRecord(file)) return pdfTokens(file.file_data);
  return isRecord(audio) ? audioTokens(audio.data) : 0;
}

function recognizes(message: unknown): boolean | undefined {
  if (!isRecord(message) || typeof message.role !== 'string') return false;
  if (message.role === 'tool' || message.role === 'developer' || message.tool_calls !== undefined) return true;
  if (!Array.isArray(message.content)) return undefined;
  const types = message.content.map((part) => (isRecord(part) ? String(part.type) : ''));
  if (types.some((type) => OWN_PART.test(type))) return true;
  return types.every((type) => type === 'text') ? undefined : false;
}
