import { isRecord } from '../../../json/record.ts';
import { createPairs, type Pairs, type RequestViolation } from '../../../rules/pair-rules.ts';
import { checkEnds, checkMarkers, checkMessage, isMessage, isMisordered } from '../rules.ts';
import { type AnthropicMessage, blocksOf, isBlank } from '../wire.ts';
import { checkBlock, checkImageTotal, checkMessageKeys } from './blocks.ts';
import { checkFields } from './fields.ts';
import { ANTHROPIC_TEXTS, type AnthropicRequest, place, report, type Walk } from './rules.ts';
import { checkThinkingRequest } from './thinking.ts';

/** Matches the code or the words with which the API rejects thinking that does not belong to the messages before it. */
export const THINKING_REFUSAL =
  /Invalid `(?:signature|data)` in `(?:redacted_)?thinking`|`(?:redacted_)?thinking` blocks in the latest assistant message cannot be modified|Expected `?thinking`? or `?redacted_thinking`?/i;

const BODY_BYTES = 32 * 1024 * 1024;
const MAX_MESSAGES = 100_000;

/**
 * Every rule of the Messages API that these messages break: those about the body first, then by message, then those
 * about the request. Rules about the request are checked only if `request` states the facts. Pure; never throws.
 */
export function validateAnthropic(
  messages: readonly AnthropicMessage[],
  request: AnthropicRequest = {},
): RequestViolation[] {
  const walk = createWalk(messages, request);
  const { found, whole } = walk;
  if (whole) {
    checkBody(walk, request);
    checkHeadMarkers(walk);
  }
  checkPairs(walk);
  const sound = messages.every((message, index) => checkMessage(walk, index) && checkFurther(walk, index, message));
  if (sound && whole) checkEnds(walk);
  found.sort((a, b) => a.index - b.index);
  // The remaining rules rely on the messages' shape.
  if (!sound) return found;
  if (whole) checkMarkers(walk);
  checkThinkingRequest(walk);
  checkTools(walk);
  checkFields(walk);
  if (whole) {
    checkTopMarker(walk);
    checkImageTotal(walk);
    checkTokens(walk);
  }
  return found;
}

function createWalk(messages: readonly AnthropicMessage[], request: AnthropicRequest): Walk {
  const walk: Walk = {
    messages,
    request: wellFormed(request),
    found: [],
    whole: request.part !== true,
    broken: (rule, index, at, part) => {
      const block = at === undefined ? undefined : blocksOf(messages[index])[at];
      const path = at === undefined ? `messages.${index}` : place(index, at);
      const own = part === undefined ? path : `${path}.content.${part}`;
      report(walk, index, rule, ANTHROPIC_TEXTS[rule](own, walk, block));
    },
    tools: false,
    signed: true,
    markers: 0,
    short: false,
    images: 0,
    pages: 0,
    large: [],
    references: [],
    thought: -1,
  };
  return walk;
}

/** The request without fields of the wrong type, so that no rule trips over one. */
function wellFormed(request: AnthropicRequest): AnthropicRequest {
  const { system, tools, thinking, betas, signatures, latest, ...rest } = request;
  const records = <T>(list: readonly T[]): T[] => list.map((item) => (isRecord(item) ? item : ({} as T)));
  return {
    ...rest,
    ...(Array.isArray(system) && { system: records(system) }),
    ...(Array.isArray(tools) && { tools: records(tools) }),
    ...(isRecord(thinking) && { thinking }),
    ...(Array.isArray(betas) && { betas }),
    ...(Array.isArray(signatures) && { signatures }),
    ...(isMessage(latest) && { latest }),
  };
}

/** Checks what a server refuses before it reads the messages. */
function checkBody(walk: Walk, { bytes = 0, system: given = [] }: AnthropicRequest): void {
  const { length } = walk.messages;
  if (bytes > BODY_BYTES) report(walk, -1, 'body-too-large');
  if (length > MAX_MESSAGES) {
    const text = `messages: List should have at most ${MAX_MESSAGES} items after validation, not ${length}`;
    report(walk, -1, 'too-many-messages', text);
  }
  if (typeof given !== 'string' && !Array.isArray(given))
    report(walk, -1, 'bad-content', 'system: Input should be a valid string or list');
  for (const [at, { text, cache_control: marker }] of systemOf(walk).entries()) {
    if (text === undefined || !isBlank(text)) continue;
    const rule = text !== '' ? 'blank-text' : marker ? 'marker-on-empty-text' : 'empty-text';
    report(walk, -1, rule, ANTHROPIC_TEXTS[rule](`system.${at}`, walk).replace(/^messages:/, 'system:'));
  }
}

function systemOf({ request: { system = [] } }: Walk) {
  return typeof system === 'string' ? [] : system;
}

/** Checks and counts the markers of tools and system, which come before those of the messages. */
function checkHeadMarkers(walk: Walk): void {
  const { tools = [], cache_control: top } = walk.request;
  if (top) walk.markers++;
  for (const [name, list] of Object.entries({ tools, system: systemOf(walk) }))
    for (const [at, { cache_control: marker }] of list.entries())
      if (isMisordered(walk, marker))
        report(walk, -1, 'marker-order', ANTHROPIC_TEXTS['marker-order'](`${name}.${at}`, walk));
}

/** Checks the request's own marker against the one on the block that it applies to. */
function checkTopMarker(walk: Walk): void {
  const top = walk.request.cache_control;
  const target = top && blocksOf(walk.messages.at(-1)).at(-1)?.cache_control;
  const [ttl, present] = [top?.ttl ?? '5m', target?.ttl ?? '5m'];
  if (!target || ttl === present) return;
  const text = `Top-level cache_control has ttl='${ttl}' but the target block already has cache_control with ttl='${present}'`;
  report(walk, -1, 'marker-conflict', text);
}

/** Checks that every call has one result, at the start of the next message. Stops at what is not a message. */
function checkPairs(walk: Walk): void {
  const ids = new Set<string | undefined>();
  const pairs = createPairs((index, open) => {
    const text = `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    report(walk, index, 'unanswered-call', text);
  });
  for (const [index, message] of walk.messages.entries()) {
    if (!isMessage(message)) return;
    if (message.role === 'user') answerCalls(walk, pairs, index, message);
    pairs.close();
    if (message.role !== 'assistant') continue;
    for (const [at, { type, id }] of blocksOf(message).entries()) {
      if (type !== 'tool_use') continue;
      if (ids.size === ids.add(id).size)
        report(walk, index, 'duplicate-call-id', `${place(index, at)}: \`tool_use\` ids must be unique`);
      pairs.open(id, index);
    }
  }
  pairs.close();
}

function answerCalls(walk: Walk, pairs: Pairs, index: number, message: AnthropicMessage): void {
  let late = false;
  for (const [at, { type, tool_use_id: id }] of blocksOf(message).entries()) {
    late ||= type !== 'tool_result';
    if (type !== 'tool_result') continue;
    const wasOpen = pairs.answer(id, late);
    if (wasOpen === undefined) {
      const text = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      report(walk, index, 'orphan-result', `${place(index, at)}: ${text}`);
    } else if (!wasOpen) {
      const text = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
      report(walk, index, 'double-result', `${place(index, at)}: ${text}`);
    }
  }
}

/** Checks what the dialect does not; always true. */
function checkFurther(walk: Walk, index: number, message: AnthropicMessage): true {
  const { content } = message;
  checkMessageKeys(walk, index, message);
  checkRole(walk, index, message);
  if (typeof content !== 'string') for (const [at, block] of content.entries()) checkBlock(walk, index, at, block);
  return true;
}

function checkRole(walk: Walk, index: number, message: AnthropicMessage): void {
  const { messages, request, whole } = walk;
  const { prefill, system_messages: systemMessages } = request.model ?? {};
  const isLast = whole && index === messages.length - 1;
  if (message.role === 'assistant' && prefill === false && isLast && !isPaused(message))
    report(walk, index, 'no-prefill');
  if (message.role === 'system' && systemMessages === false && !(index === 0 && whole))
    report(walk, index, 'no-system-messages');
}

/** A turn paused for a server tool is sent back as it is. */
function isPaused(message: AnthropicMessage): boolean {
  const type = blocksOf(message).at(-1)?.type ?? '';
  return type === 'server_tool_use' || type.endsWith('_tool_result');
}

/** Checks the tools against the blocks that were found. */
function checkTools(walk: Walk): void {
  const { tools, tool_choice: choice, model } = walk.request;
  if (walk.tools && tools?.length === 0) report(walk, -1, 'tools-missing');
  const forced = choice?.type === 'tool' || choice?.type === 'any';
  if (forced && model?.forced_tool_choice === false) report(walk, -1, 'forced-tool-choice');
}

function checkTokens(walk: Walk): void {
  const { input_tokens: input, max_tokens: output = 0, limit, model } = walk.request;
  if (input === undefined || limit === undefined) return;
  if (input > limit) {
    report(walk, -1, 'prompt-too-long', `prompt is too long: ${input} tokens > ${limit} maximum`);
  } else if (model?.counts_output === true && input + output > limit) {
    const text = `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${limit}, decrease input length or \`max_tokens\` and try again`;
    report(walk, -1, 'context-exceeded', text);
  }
}
