import { isUnsigned } from '../rules.ts';
import { type AnthropicBlock, type AnthropicMessage, blocksOf, isBlank, isThinking } from '../wire.ts';
import { place, report, type Walk } from './rules.ts';

const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

/** Checks one signed thinking block: unchanged, and after the prefix that it is bound to. */
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

/** The thinking kept must be an unbroken run of the original, from any start; nothing after a gap is valid. */
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

/** Checks thinking across messages and against the request; call it after the walk. */
export function checkThinkingRequest(walk: Walk): void {
  const { thinking, betas, latest, model } = walk.request;
  if (thinking?.block_binding !== undefined && betas?.includes(BINDING_BETA) === false) {
    const text = `thinking.${thinking.type}.block_binding: Extra inputs are not permitted`;
    report(walk, -1, 'binding-header', text);
  }
  if (thinking?.type === 'enabled' && model?.thinking === 'adaptive') {
    const text =
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
    report(walk, -1, 'thinking-mode', text);
  }
  if (thinking?.type === 'adaptive' && model?.thinking === 'enabled')
    report(walk, -1, 'thinking-mode', 'adaptive thinking is not supported on this model');
  if (thinking?.type === 'enabled' && walk.request.part !== true) checkLoopStart(walk);
  if (latest !== undefined) checkLatest(walk, latest);
}

/**
 * Finds thinking that a request with `thinking.type: "enabled"` must have but lacks: the index of the first assistant
 * message since the user last spoke, if it does not begin with thinking; otherwise -1. Pure; never throws.
 */
export function missingThinking(messages: readonly AnthropicMessage[]): number {
  let start = -1;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role === 'assistant') start = index;
    else if (!Array.isArray(message?.content) || blocksOf(message).some((block) => block?.type !== 'tool_result'))
      break;
  }
  return start < 0 || /^(?:redacted_)?thinking$/.test(firstType(messages[start])) ? -1 : start;
}

function checkLoopStart(walk: Walk): void {
  const start = missingThinking(walk.messages);
  if (start < 0) return;
  const found = firstType(walk.messages[start]);
  const text = `messages.${start}.content.0.type: Expected thinking or redacted_thinking, but found ${found}. When thinking is enabled, a final assistant message must start with a thinking block (preceeding the lastmost set of tool_use and tool_result blocks).`;
  report(walk, start, 'missing-thinking', text);
}

/** Skips blank text: models answer a line break before they think. */
function firstType(message: AnthropicMessage | undefined): string {
  const first = blocksOf(message).find((block) => block?.type !== 'text' || !isBlank(block.text ?? ''));
  return first?.type ?? 'text';
}

/** The latest message may be sent without its thinking, but thinking that is sent must be complete and unchanged. */
function checkLatest(walk: Walk, latest: AnthropicMessage): void {
  const index = walk.messages.findLastIndex((message) => message.role === 'assistant');
  const original = blocksOf(latest).filter(isThinking);
  if (typeof latest.content === 'string') return;
  let kept = 0;
  let wrong = -1;
  for (const [at, block] of blocksOf(walk.messages[index]).entries()) {
    if (!isThinking(block)) continue;
    wrong = at;
    if (!sameThinking(block, original[kept++])) break;
    if (kept === original.length) wrong = -1;
  }
  if (wrong < 0) return;
  const text = `${place(index, wrong)}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
  report(walk, index, 'changed-thinking', text);
}

function sameThinking(a: AnthropicBlock, b: AnthropicBlock | undefined): boolean {
  return a.type === b?.type && a.thinking === b.thinking && a.signature === b.signature && a.data === b.data;
}
