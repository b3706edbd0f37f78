import { hashOf } from './json.ts';
import { tokensOf } from './measure.ts';
import type { Answer } from './script.ts';

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

/** What limits an answer. */
export interface ReplyLimits {
  /** Hash of the prompt: ids are derived from it, so that a retried request gets the same answer. */
  readonly hash: string;
  /** How the ids of calls begin. */
  readonly prefix: string;
  readonly thinks: boolean;
  readonly max_tokens: number;
  /** Tokens left in the model's window. */
  readonly room: number;
  readonly characters: number | undefined;
}

/** The answer as it will be sent. If it is too long, its text is cut and its calls are left out. Pure. */
export function completeReply(answer: Answer, limits: ReplyLimits): Reply {
  const { hash, prefix, characters } = limits;
  const thinking = limits.thinks ? [answer.thinking ?? []].flat() : [];
  const calls = (answer.calls ?? []).map(({ id, name, input }, at) => {
    const json = JSON.stringify(input ?? {});
    return { id: id ?? `${prefix}${hashOf(hash, `${at}`)}`, name, input: input ?? {}, json };
  });
  const size = (texts: readonly string[]) => tokensOf(texts.join('').length, characters);
  const thinkingTokens = size(thinking);
  const text = answer.text ?? '';
  const callTokens = size(calls.map(({ name, json }) => name + json));
  const most = Math.max(1, Math.min(limits.max_tokens, limits.room));
  const base = { thinking, redacted: answer.redacted ?? false, thinking_tokens: thinkingTokens };
  const tokens = thinkingTokens + size([text]) + callTokens;
  if (tokens <= most) return { ...base, text, calls, stop: stopOf(answer, calls.length), tokens };
  const perToken = text.length / Math.max(1, size([text]));
  const kept = text.slice(0, Math.floor(Math.max(0, most - thinkingTokens) * perToken));
  return { ...base, text: kept, calls: [], stop: limits.room < limits.max_tokens ? 'window' : 'length', tokens: most };
}

function stopOf({ stop }: Answer, calls: number): Reply['stop'] {
  if (stop === 'length' || stop === 'refusal') return stop;
  return calls > 0 && stop !== 'end' ? 'calls' : 'end';
}

/** A text in pieces, as a stream sends it. Never splits a surrogate pair. */
export function pieces(text: string, most = 24): string[] {
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
