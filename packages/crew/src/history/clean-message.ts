import type { CrewCall, CrewMessage } from '../config/config.ts';

/** Most characters of a message of the history: `holdfast serve` takes no more back. */
export const MAX_CONTENT_CHARS = 200_000;
const MORE = '\n… (cut)\n';
/** Characters of its end that stay: a signal may stand there. */
const END = 1_000;

/**
 * A message as any API and any store takes it: no NUL, no half of a surrogate pair, names of tools that are names, and no
 * more than MAX_CONTENT_CHARS. What is so already is given back itself. Pure.
 */
export function cleanMessage<T extends CrewMessage>(message: T): T {
  const content = cleanText(message.content);
  const calls = message.role === 'assistant' ? message.tool_calls : undefined;
  const tool_calls = calls?.map(cleanCall);
  if (content === message.content && (tool_calls ?? []).every((call, i) => call === calls?.[i])) return message;
  return { ...message, content, ...(tool_calls ? { tool_calls } : {}) };
}

function cleanText(text: string): string {
  const plain = text.replaceAll('\0', '\ufffd');
  // Where a pair is cut in two, its half becomes U+FFFD as well.
  const isLong = plain.length > MAX_CONTENT_CHARS;
  const short = isLong ? plain.slice(0, MAX_CONTENT_CHARS - MORE.length - END) + MORE + plain.slice(-END) : plain;
  return wellFormed(short);
}

/** The text with U+FFFD for each half of a surrogate pair: APIs refuse those, and a cut may leave one. Pure. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function cleanCall(call: CrewCall): CrewCall {
  const name = call.function.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
  const text = call.function.arguments;
  // Must stay JSON, in which a character may take six.
  const args =
    text.length > MAX_CONTENT_CHARS ? JSON.stringify({ cut: text.slice(0, MAX_CONTENT_CHARS / 8) }) : cleanText(text);
  return name === call.function.name && args === text ? call : { ...call, function: { name, arguments: args } };
}
