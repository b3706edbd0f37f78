import { HoldfastError } from 'holdfast';
import { type ChatMessage, plainText, recordOf, toChat } from './chat.ts';

/** A recorded conversation. */
export interface Transcript {
  /** The recorder's description; `format` names the format of `native`. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** The messages as recorded. */
  readonly native: readonly unknown[];
  /** The same in OpenAI chat form. */
  readonly messages: readonly ChatMessage[];
}

/**
 * Reads JSON lines: first `{"meta": {"format": "anthropic" | "openai-chat", …}}`, then one message a line. Pure.
 * Throws INVALID_HISTORY that names the line.
 */
export function parseTranscript(jsonl: string): Transcript {
  const [first, ...native] = jsonl.split('\n').flatMap(parseLine);
  const { meta } = recordOf(first);
  if (typeof meta !== 'object' || meta === null) {
    throw invalid('line 1 is not {"meta": …}; put the description of the recording on the first line');
  }
  const described = recordOf(meta);
  return { meta: described, native, messages: chatMessages(native, described.format) };
}

function parseLine(line: string, index: number): unknown[] {
  if (line.trim() === '') return [];
  try {
    return [JSON.parse(line)];
  } catch (cause) {
    throw invalid(`line ${index + 1} is not JSON; each line must hold one whole message`, cause);
  }
}

function chatMessages(native: readonly unknown[], format: unknown): ChatMessage[] {
  if (format === 'anthropic') return toChat(native);
  if (format === undefined || format === 'openai-chat') return native.map(plainMessage);
  throw invalid(`format ${JSON.stringify(format)} cannot be replayed; use "anthropic" or "openai-chat"`);
}

function plainMessage(message: unknown, index: number): ChatMessage {
  const { role, content } = recordOf(message);
  if (typeof role !== 'string') throw invalid(`message ${index} has no role`);
  // Other fields are the recorder's; replay reads only those of ChatMessage.
  return { ...recordOf(message), role, content: content === undefined || content === null ? null : plainText(content) };
}

function invalid(problem: string, cause?: unknown): HoldfastError {
  return new HoldfastError('INVALID_HISTORY', `Transcript: ${problem}.`, {}, cause);
}
