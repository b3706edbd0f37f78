import type { AnthropicBlock } from '../wire.ts';
import { report, type Walk } from './rule-table.ts';

const BODY_BYTES = 32 * 1024 * 1024;
const MAX_MESSAGES = 100_000;
const MAX_IMAGES = 600;
const MANY_IMAGES = 20;

/** Checks what a server refuses before it reads the messages. */
export function checkBody(walk: Walk): void {
  const { bytes, system } = walk.request;
  if (bytes !== undefined && bytes > BODY_BYTES) {
    report(walk, -1, 'body-too-large', 'Request exceeds the maximum size');
  }
  if (walk.messages.length > MAX_MESSAGES) {
    const message = `messages: List should have at most ${MAX_MESSAGES} items after validation, not ${walk.messages.length}`;
    report(walk, -1, 'too-many-messages', message);
  }
  if (system === undefined || typeof system === 'string') return;
  system.forEach((block, at) => {
    checkSystem(walk, block, at);
  });
}

function checkSystem(walk: Walk, block: AnthropicBlock, at: number): void {
  const { text } = block;
  if (text === undefined || /\S/.test(text)) return;
  if (text !== '') {
    report(walk, -1, 'blank-text', 'system: text content blocks must contain non-whitespace text');
  } else if (block.cache_control) {
    const message = `system.${at}.text: cache_control cannot be set for empty text blocks`;
    report(walk, -1, 'marker-on-empty-text', message);
  } else {
    report(walk, -1, 'empty-text', 'system: text content blocks must be non-empty');
  }
}

/** Checks the tools against the blocks that were found. */
export function checkTools(walk: Walk): void {
  const { tools, tool_choice, model } = walk.request;
  if (walk.tools && tools?.length === 0) {
    const message = 'Requests which include `tool_use` or `tool_result` blocks must define tools.';
    report(walk, -1, 'tools-missing', message);
  }
  const forced = tool_choice?.type === 'tool' || tool_choice?.type === 'any';
  if (forced && model?.forced_tool_choice === false) {
    const message = 'tool_choice: type "tool" and "any" are not supported for this model.';
    report(walk, -1, 'forced-tool-choice', message);
  }
}

/** Checks how many images and pages of documents there are, and how large each image may then be. */
export function checkImageTotal(walk: Walk): void {
  const most = walk.request.model?.images ?? MAX_IMAGES;
  const { images, pages } = walk;
  if (images + pages > most) {
    report(walk, -1, 'too-many-images', `Too much media: ${pages} document pages + ${images} images > ${most}`);
  }
  if (walk.images <= MANY_IMAGES) return;
  for (const { index, path } of walk.large) {
    const message = 'At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels';
    report(walk, index, 'many-images-side', `${path}: ${message}`);
  }
}

/** Checks the tokens against the model's limit. */
export function checkTokens(walk: Walk): void {
  const { input_tokens: input, max_tokens: output = 0, limit, model } = walk.request;
  if (input === undefined || limit === undefined) return;
  if (input > limit) {
    report(walk, -1, 'prompt-too-long', `prompt is too long: ${input} tokens > ${limit} maximum`);
  } else if (model?.counts_output === true && input + output > limit) {
    const message = `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${limit}, decrease input length or \`max_tokens\` and try again`;
    report(walk, -1, 'context-exceeded', message);
  }
}
