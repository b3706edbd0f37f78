import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SOAK } from '../../../scripts/soak.ts';
import { deepFreeze, dialectOf, type Format, type Wire } from './histories.ts';
import { reasoningOf } from './promises.ts';

/** A recorded conversation. */
export interface Conversation {
  /** Its file, inside of the folder of recordings. */
  readonly name: string;
  readonly source: string;
  readonly format: Format;
  readonly messages: readonly Wire[];
  readonly usage: readonly { readonly msg: number; readonly usage: unknown; readonly tokens: number }[];
}

/** All conversations of a folder, frozen, in the order of their names. To be kept: reading them takes a second. */
export function conversationsIn(folder: string): Conversation[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));
  return files.sort().map((file) => deepFreeze(parse(file, readFileSync(join(folder, file), 'utf8'))));
}

/** Every nth of them, always the same, or all in `npm run soak`. Pure. */
export function sample<T>(all: readonly T[], n: number): readonly T[] {
  return SOAK ? all : all.filter((_, at) => at % n === 0);
}

function parse(name: string, text: string): Conversation {
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const { meta } = JSON.parse(first) as { meta: { format: Format; usage_per_call?: Record<string, number>[] } };
  const usage = (meta.usage_per_call ?? []).map((one) => {
    const {
      input_tokens = 0,
      cache_creation_input_tokens = 0,
      cache_read_input_tokens = 0,
      prompt_tokens = 0,
      msg = 0,
    } = one;
    return {
      msg,
      usage: one,
      tokens: prompt_tokens || input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
    };
  });
  const messages = lines.map((line) => JSON.parse(line));
  return { name, source: name.split(/[\\/]/)[0] ?? '', format: meta.format, messages, usage };
}

/** A conversation as it was carried on: where requests were made, and what a server knows of its items. */
export interface Course extends Conversation {
  /** How many messages there were at each request. */
  readonly requests: readonly number[];
  readonly known: { readonly reasoning?: Map<string, string> };
}

/** Requests are made before each answer of the model, and at the end. Pure. */
export function courseOf(conversation: Conversation): Course {
  const { format, messages } = conversation;
  const dialect = dialectOf(format);
  const models = messages.map((message) => dialect.read(message).role === 'assistant');
  const requests = [...models.keys()].map((at) => at + 1).filter((n) => !models[n - 1] && models[n] !== false);
  return {
    ...conversation,
    requests,
    known: format === 'openai-responses' ? { reasoning: reasoningOf(messages) } : {},
  };
}
