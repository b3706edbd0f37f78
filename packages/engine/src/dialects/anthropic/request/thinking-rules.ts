import { isUnsigned } from '../rules.ts';
import { type AnthropicBlock, type AnthropicMessage, isThinking } from '../wire.ts';
import { place, report, type Walk } from './rule-table.ts';

const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

/** Checks one thinking block that is signed: unchanged, and bound to what stands before it. */
export function checkThinking(walk: Walk, index: number, at: number, block: AnthropicBlock): void {
  if (isUnsigned(block)) return;
  const { signature, signatures } = walk.request;
  const fault = signature?.(block, walk.messages, index) ?? (signatures && findGap(walk, block, signatures));
  if (fault === undefined) return;
  const field = block.type === 'thinking' ? 'signature' : 'data';
  const wrong = `${place(index, at)}: Invalid \`${field}\` in \`${block.type}\` block`;
  if (fault === 'tampered') report(walk, index, 'bad-signature', wrong);
  else if (walk.request.model?.binding === true && !dropsBlocks(walk)) {
    report(walk, index, 'bound-thinking', `${wrong}. ${bindingHelp(walk)} ${fault.cause}`);
  }
}

/** Kept thinking must be an unbroken run of the original, begun anywhere; nothing after a gap is valid. */
function findGap(walk: Walk, block: AnthropicBlock, original: readonly string[]) {
  const key = block.signature ?? block.data ?? '';
  const expected = walk.thought;
  if (expected >= 0 && original[expected] === key) {
    walk.thought++;
    return undefined;
  }
  const found = original.indexOf(key);
  if (found < 0) return 'tampered';
  walk.thought = expected < 0 ? found + 1 : original.length;
  return expected < 0 ? undefined : { cause: 'Thinking before this block differs from when it was created.' };
}

function dropsBlocks(walk: Walk): boolean {
  const { thinking, betas } = walk.request;
  return thinking?.block_binding?.prefix_mismatch_behavior === 'drop_block' && betas?.includes(BINDING_BETA) !== false;
}

function bindingHelp(walk: Walk): string {
  const help =
    'The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
  if (walk.request.betas?.includes(BINDING_BETA)) return help;
  return `${help} That setting requires the \`${BINDING_BETA}\` value in the \`anthropic-beta\` header.`;
}

/** Checks thinking across messages and against the request; to be called after the walk. */
export function checkThinkingRequest(walk: Walk): void {
  const { thinking, betas, latest, model } = walk.request;
  if (thinking?.block_binding !== undefined && betas?.includes(BINDING_BETA) === false) {
    const message = `thinking.${thinking.type}.block_binding: Extra inputs are not permitted`;
    report(walk, -1, 'binding-header', message);
  }
  if (thinking?.type === 'enabled' && model?.thinking === 'adaptive') {
    report(
      walk,
      -1,
      'thinking-mode',
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  }
  if (thinking?.type === 'adaptive' && model?.thinking === 'enabled') {
    report(walk, -1, 'thinking-mode', 'adaptive thinking is not supported on this model');
  }
  if (thinking?.type === 'enabled' && walk.request.part !== true) checkLoopStart(walk);
  if (latest !== undefined) checkLatest(walk, latest);
}

/**
 * Where thinking was left out that a request with `thinking.type: "enabled"` must have: the place of the first assistant
 * message since the user last spoke, if it does not begin with thinking; -1 if nothing is missing. Pure.
 */
export function missingThinking(messages: readonly AnthropicMessage[]): number {
  let start = -1;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) break;
    if (message.role === 'assistant') start = index;
    else if (!holdsOnlyResults(message)) break;
  }
  return /^(?:redacted_)?thinking$/.test(firstType(messages[start]?.content ?? THOUGHT)) ? -1 : start;
}

/** What an assistant message that is not there begins with. */
const THOUGHT = [{ type: 'thinking' }];

function checkLoopStart(walk: Walk): void {
  const start = missingThinking(walk.messages);
  if (start < 0) return;
  const found = firstType(walk.messages[start]?.content ?? '');
  report(
    walk,
    start,
    'missing-thinking',
    `messages.${start}.content.0.type: Expected thinking or redacted_thinking, but found ${found}. When thinking is enabled, a final assistant message must start with a thinking block (preceeding the lastmost set of tool_use and tool_result blocks).`,
  );
}

/** True if a message holds nothing but tool results. */
function holdsOnlyResults(message: AnthropicMessage): boolean {
  const { content } = message;
  return typeof content !== 'string' && content.every((block) => block.type === 'tool_result');
}

/** Blank text is skipped: models answer a line break before they think. */
function firstType(content: AnthropicMessage['content']): string {
  if (typeof content === 'string') return 'text';
  return content.find((block) => block.type !== 'text' || /\S/.test(block.text ?? ''))?.type ?? 'text';
}

/** All thinking may leave the latest message, but what stays must be all of it, unchanged. */
function checkLatest(walk: Walk, latest: AnthropicMessage): void {
  const index = walk.messages.findLastIndex((message) => message.role === 'assistant');
  const content = walk.messages[index]?.content;
  if (content === undefined || typeof content === 'string' || typeof latest.content === 'string') return;
  const original = latest.content.filter(isThinking);
  let kept = 0;
  let wrong = -1;
  for (let at = 0; at < content.length; at++) {
    const block = content[at];
    if (block === undefined || !isThinking(block)) continue;
    wrong = at;
    if (!sameThinking(block, original[kept++])) break;
    if (kept === original.length) wrong = -1;
  }
  if (wrong < 0) return;
  report(
    walk,
    index,
    'changed-thinking',
    `${place(index, wrong)}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}

function sameThinking(a: AnthropicBlock, b: AnthropicBlock | undefined): boolean {
  return a.type === b?.type && a.thinking === b.thinking && a.signature === b.signature && a.data === b.data;
}
