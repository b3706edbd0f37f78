import { hashOf } from './json.ts';
import { lastOf, type Measured, tokensOf } from './measure.ts';
import type { Answer, Prompt } from './script.ts';
import type { State } from './state.ts';

/** A call as it is sent: the input also as JSON text. */
export interface ReplyCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly json: string;
}

/** A complete answer: with ids, cut to the allowed tokens, measured. */
export interface Reply {
  readonly thinking: readonly string[];
  readonly redacted: boolean;
  readonly text: string;
  readonly calls: readonly ReplyCall[];
  readonly stop: 'end' | 'calls' | 'length' | 'window' | 'refusal';
  readonly tokens: number;
  readonly thinking_tokens: number;
}

/** What an answer is to. */
interface Asked {
  readonly prompt: readonly Measured[];
  readonly model: { readonly max_output: number; readonly characters?: number };
}

/** What limits an answer. */
interface ReplyLimits {
  /** How the ids of calls begin. */
  readonly prefix: string;
  readonly thinks: boolean;
  /** The request's own limit on output tokens, if it is a number. */
  readonly most: unknown;
  /** Tokens left in the model's window; by default as many as it may answer. */
  readonly room?: number;
}

/** Asks the script, and completes its answer. */
export async function askScript(state: State, seen: Prompt, asked: Asked, limits: ReplyLimits): Promise<Reply> {
  return completeReply(await state.script(seen), asked, limits);
}

/**
 * The answer as it will be sent. If it is too long, its text is cut and its calls are left out. Ids are derived from the prompt,
 * so that a retried request gets the same answer. Pure.
 */
function completeReply(answer: Answer, { prompt, model }: Asked, limits: ReplyLimits): Reply {
  const { prefix, room = model.max_output } = limits;
  const { characters } = model;
  const { hash } = lastOf(prompt);
  const allowed = typeof limits.most === 'number' ? limits.most : model.max_output;
  const thinking = limits.thinks ? [answer.thinking ?? []].flat() : [];
  const calls = (answer.calls ?? []).map(({ id, name, input }, at) => {
    const json = JSON.stringify(input ?? {});
    return { id: id ?? `${prefix}${hashOf(hash, `${at}`)}`, name, input: input ?? {}, json };
  });
  const size = (texts: readonly string[]) => tokensOf(texts.join('').length, characters);
  const thinkingTokens = size(thinking);
  const text = answer.text ?? '';
  const callTokens = size(calls.map(({ name, json }) => name + json));
  const most = Math.max(1, Math.min(allowed, room));
  const base = { thinking, redacted: answer.redacted ?? false, thinking_tokens: thinkingTokens };
  const tokens = thinkingTokens + size([text]) + callTokens;
  if (tokens <= most) return { ...base, text, calls, stop: stopOf(answer, calls.length), tokens };
  const perToken = text.length / Math.max(1, size([text]));
  const kept = text.slice(0, Math.floor(Math.max(0, most - thinkingTokens) * perToken));
  return { ...base, text: kept, calls: [], stop: room < allowed ? 'window' : 'length', tokens: most };
}

function stopOf({ stop }: Answer, calls: number): Reply['stop'] {
  if (stop === 'length' || stop === 'refusal') return stop;
  return calls > 0 && stop !== 'end' ? 'calls' : 'end';
}

/** A text in chunks, as a stream sends it. Never splits a surrogate pair. */
export function textChunks(text: string, most = 24): string[] {
  const size = Math.max(most, Math.ceil(text.length / 40));
  const list: string[] = [];
  for (let from = 0; from < text.length; ) {
    let end = Math.min(text.length, from + size);
    const code = text.charCodeAt(end - 1);
    if (code >= 0xd800 && code < 0xdc00 && end < text.length) end++;
    list.push(text.slice(from, end));
    from = end;
  }
  return list;
}
