import { createPairs, type Pairs } from '../../../rules/pairs.ts';
import { isMessage } from '../rules.ts';
import { type AnthropicBlock, type AnthropicMessage, blocksOf } from '../wire.ts';
import { place, report, type Walk } from './rule-table.ts';

/** Checks that each call has one result, in the next message and before all else in it. A message that is none ends it. */
export function checkPairs(walk: Walk): void {
  const ids = new Set<string | undefined>();
  const pairs = createPairs((index, open) => {
    const text = `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    report(walk, index, 'unanswered-call', text);
  });
  for (const [index, message] of walk.messages.entries()) {
    if (!isMessage(message)) return;
    if (message.role === 'assistant') {
      pairs.close();
      openCalls(walk, pairs, ids, index, message);
    } else {
      if (message.role === 'user') answerCalls(walk, pairs, index, message);
      pairs.close();
    }
  }
  pairs.close();
}

function openCalls(walk: Walk, pairs: Pairs, ids: Set<unknown>, index: number, message: AnthropicMessage): void {
  for (const [at, { type, id }] of blocksOf(message).entries()) {
    if (type !== 'tool_use') continue;
    const { size } = ids;
    if (ids.add(id).size === size) {
      report(walk, index, 'duplicate-call-id', `${place(index, at)}: \`tool_use\` ids must be unique`);
    }
    pairs.open(id, index);
  }
}

function answerCalls(walk: Walk, pairs: Pairs, index: number, message: AnthropicMessage): void {
  let late = false;
  for (const [at, block] of blocksOf(message).entries()) {
    if (block.type === 'tool_result') checkResult(walk, pairs, index, at, block, late);
    else late = true;
  }
}

function checkResult(walk: Walk, pairs: Pairs, index: number, at: number, block: AnthropicBlock, late: boolean): void {
  const id = block.tool_use_id;
  const state = pairs.answer(id, late);
  if (!state) {
    const text = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    report(walk, index, 'orphan-result', `${place(index, at)}: ${text}`);
  } else if (state !== 'open') {
    const text = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    report(walk, index, 'double-result', `${place(index, at)}: ${text}`);
  }
}
