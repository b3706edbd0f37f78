import type { Violation } from '../../../rules/violation.ts';
import { checkEnds, checkMarkers, checkMessage } from '../rules.ts';
import { type AnthropicMessage, blocksOf } from '../wire.ts';
import { checkBlock, checkFields, checkMessageKeys } from './block-rules.ts';
import { checkBody, checkImageTotal, checkTokens, checkTools } from './body-rules.ts';
import type { AnthropicRequest } from './facts.ts';
import { checkHeadMarkers, checkTopMarker } from './marker-rules.ts';
import { checkPairs } from './pair-rules.ts';
import { place, report, type Walk } from './rule-table.ts';
import { ANTHROPIC_TEXTS } from './texts.ts';
import { checkThinkingRequest } from './thinking-rules.ts';

/**
 * Every rule of the Messages API that these messages break: those about the body first, then by message, then those
 * about the request. Rules of the request are checked as far as `request` states its facts. Pure; never throws.
 */
export function validateAnthropic(messages: readonly AnthropicMessage[], request: AnthropicRequest = {}): Violation[] {
  const walk = createWalk(messages, request);
  const { found, whole } = walk;
  if (whole) {
    checkBody(walk);
    checkHeadMarkers(walk);
  }
  checkPairs(walk);
  const sound = messages.every((message, index) => checkMessage(walk, index) && checkFurther(walk, index, message));
  if (sound && whole) checkEnds(walk);
  found.sort((a, b) => a.index - b.index);
  // What follows reads the messages and relies on their shape.
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
    request,
    found: [],
    whole: request.part !== true,
    broken: (rule, index, at, part) => {
      const block = at === undefined ? undefined : blocksOf(messages[index])[at];
      report(walk, index, rule, ANTHROPIC_TEXTS[rule](pathOf(index, at, part), walk, block));
    },
    tools: false,
    signed: true,
    markers: 0,
    short: false,
    images: 0,
    pages: 0,
    large: [],
    thought: -1,
  };
  return walk;
}

function pathOf(index: number, at?: number, part?: number): string {
  if (at === undefined) return `messages.${index}`;
  return part === undefined ? place(index, at) : `${place(index, at)}.content.${part}`;
}

/** Checks what the dialect does not; always true. */
function checkFurther(walk: Walk, index: number, message: AnthropicMessage): true {
  const { content } = message;
  checkMessageKeys(walk, index, message);
  checkRole(walk, index, message);
  if (typeof content !== 'string') {
    for (let at = 0; at < content.length; at++) {
      const block = content[at];
      if (block !== undefined) checkBlock(walk, index, at, block);
    }
  }
  return true;
}

function checkRole(walk: Walk, index: number, message: AnthropicMessage): void {
  const { messages, request, whole } = walk;
  const { role } = message;
  if (role === 'assistant') {
    const last = whole && index === messages.length - 1;
    if (!last || request.model?.prefill !== false || isPaused(message)) return;
    const text =
      'This model does not support assistant message prefill. The conversation must end with a user message.';
    report(walk, index, 'no-prefill', text);
  } else if (role === 'system') {
    if (request.model?.system_messages !== false || (index === 0 && whole)) return;
    report(walk, index, 'no-system-messages', "role 'system' is not supported on this model");
  }
}

/** A turn that was paused over a server tool is sent back as it is. */
function isPaused(message: AnthropicMessage): boolean {
  const type = blocksOf(message).at(-1)?.type ?? '';
  return type === 'server_tool_use' || type.endsWith('_tool_result');
}
