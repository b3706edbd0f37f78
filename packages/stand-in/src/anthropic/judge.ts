import { type AnthropicBlock, type AnthropicMessage, validateAnthropic } from 'holdfast/rules';
import { type Arrived, jsonBody } from '../exchange.ts';
import { isJson, type Json, textOf } from '../json.ts';
import { lastOf, type Measured } from '../measure.ts';
import type { AnthropicStandInModel } from '../models.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { type AnthropicBody, checkAbilities, checkAnthropicModel, readAnthropicBody } from './body.ts';
import { anthropicPrompt, isThinking, placeBlocks } from './prompt.ts';
import { checkPrefixes, type Prefix } from './thinking.ts';
import { resumeThread } from './threads.ts';

const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

/** A request that breaks no rule. */
export interface AnthropicJudged {
  readonly body: AnthropicBody;
  readonly model: AnthropicStandInModel;
  readonly prompt: readonly Measured[];
  readonly prefix: Prefix;
  /** What the answer reports about thinking dropped or let through; absent without the beta header. */
  readonly transformations: readonly Json[] | undefined;
}

/** Checks a request against every rule of the API; `counts`: it only asks for its size. Throws a Refusal for the first broken. */
export function judgeAnthropic(arrived: Arrived, state: State, counts: boolean): AnthropicJudged {
  if (!arrived.header('anthropic-version')) throw new Refusal(400, 'anthropic-version: header is required');
  const named = (arrived.header('anthropic-beta') ?? '').split(',').map((one) => one.trim());
  const betas = named.filter((one) => one !== '');
  const value = counts ? jsonBody(arrived) : resumeThread(jsonBody(arrived), betas, state);
  const bytes = Buffer.byteLength(arrived.body);
  if (bytes > 32 * 1024 * 1024) throw new Refusal(413, 'Request exceeds the maximum size', { rule: 'body-too-large' });
  const body = readAnthropicBody(value, counts, betas);
  const model = state.models.get(body.model);
  if (model?.api !== 'anthropic') throw new Refusal(404, `model: ${body.model}`);
  checkAnthropicModel(body, model);
  const shaped = body.messages.every(isShaped);
  const latest = shaped ? findLatest(body.messages, state) : undefined;
  const { faults, prefix } = shaped ? checkPrefixes(body, state, latest) : NOTHING;
  const asked = body.thinking?.block_binding !== undefined;
  const enforced =
    model.binding === 'always' || (model.binding === 'new-accounts' && (state.account === 'new' || asked));
  const dropped =
    enforced && drops(body, betas) ? droppedWith(body.messages, new Set(faults.keys())) : new Set<unknown>();
  const prompt = shaped ? anthropicPrompt(body, model, dropped) : [];
  const { binding: _, ...rules } = model;
  const [violation] = validateAnthropic(body.messages, {
    ...body,
    ...(counts && { max_tokens: 0 }),
    betas,
    bytes,
    // Counting has no limit.
    ...(!counts && { limit: model.window }),
    input_tokens: lastOf(prompt).tokens,
    model: { ...rules, binding: enforced },
    signature: (block) => faults.get(block),
    ...(latest && { latest }),
  });
  if (violation) throw new Refusal(400, violation.message, { rule: violation.rule });
  checkAbilities(body);
  const compacted = placeBlocks(body.messages).find(({ block }) => block.type === 'compaction');
  if (compacted) throw new Refusal(400, `${compacted.path}: the stand-in does not support compaction`);
  const transformations = betas.includes(BINDING_BETA)
    ? transformationsOf(body.messages, faults, dropped, model.binding !== 'never')
    : undefined;
  return { body, model, prompt, prefix: prefixWithout(prefix, body, dropped, state), transformations };
}

const NOTHING = {
  faults: new Map<AnthropicBlock, never>(),
  prefix: { system: '', tools: '', blocks: '', thinking: '' },
};

/** The rules report what has the wrong shape; nothing else may read it. */
function isShaped(message: unknown): boolean {
  if (!isJson(message)) return false;
  const { role, content } = message;
  const isBlock = (block: unknown) => typeof block === 'object' && block !== null && 'type' in block;
  return (
    typeof role === 'string' && (typeof content === 'string' || (Array.isArray(content) && content.every(isBlock)))
  );
}

/** The latest assistant message as this server sent it, if it did. */
function findLatest(messages: readonly AnthropicMessage[], state: State): AnthropicMessage | undefined {
  const last = messages.findLast(({ role }) => role === 'assistant');
  for (const { id, signature, data } of typeof last?.content === 'object' ? last.content : []) {
    const found = state.answered.get(textOf(id) || textOf(signature) || textOf(data));
    if (found) return found as AnthropicMessage;
  }
  return undefined;
}

function drops({ thinking }: AnthropicBody, betas: readonly string[]): boolean {
  return thinking?.block_binding?.prefix_mismatch_behavior === 'drop_block' && betas.includes(BINDING_BETA);
}

/** If a block fails, the rest of its message's thinking is dropped, too. */
function droppedWith(messages: readonly AnthropicMessage[], failed: ReadonlySet<unknown>): Set<unknown> {
  const dropped = new Set<unknown>();
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    let gone = false;
    for (const block of content.filter(isThinking)) {
      gone ||= failed.has(block);
      if (gone) dropped.add(block);
    }
  }
  return dropped;
}

function transformationsOf(
  messages: readonly AnthropicMessage[],
  faults: ReadonlyMap<unknown, unknown>,
  dropped: ReadonlySet<unknown>,
  checked: boolean,
): Json[] {
  const reason = 'prefix_binding_mismatch';
  return placeBlocks(messages).flatMap(({ block, path }) => {
    if (dropped.has(block)) return [{ type: 'thinking_dropped', path, reason }];
    return checked && faults.has(block) ? [{ type: 'thinking_mismatch_allowed', path, reason }] : [];
  });
}

/** The next thinking block follows the thinking that is left. */
function prefixWithout(prefix: Prefix, body: AnthropicBody, dropped: ReadonlySet<unknown>, state: State): Prefix {
  if (dropped.size === 0) return prefix;
  const messages = body.messages.map((message) =>
    typeof message.content === 'string'
      ? message
      : { ...message, content: message.content.filter((block) => !dropped.has(block)) },
  );
  return checkPrefixes({ ...body, messages }, state, undefined).prefix;
}
