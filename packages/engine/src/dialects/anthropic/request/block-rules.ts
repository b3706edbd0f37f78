import { isRecord } from '../../../content.ts';
import { imageSize, pdfPages } from '../../../size/media.ts';
import type { AnthropicBlock, AnthropicMessage } from '../wire.ts';
import { place, report, type Walk } from './rule-table.ts';
import { checkThinking } from './thinking-rules.ts';

const MESSAGE_KEYS: readonly string[] = ['role', 'content'];
const TEXT_KEYS: readonly string[] = ['type', 'text', 'cache_control', 'citations'];
const CALL_KEYS: readonly string[] = ['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset_name'];
const RESULT_KEYS: readonly string[] = ['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name'];
const SERVER_RESULT: readonly string[] = ['type', 'tool_use_id', 'content', 'cache_control', 'caller'];

/** Fields of the blocks that are known here; blocks of other types may be newer than this table and are let through. */
const BLOCK_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', TEXT_KEYS],
  ['tool_use', CALL_KEYS],
  ['tool_result', RESULT_KEYS],
  ['thinking', ['type', 'thinking', 'signature']],
  ['redacted_thinking', ['type', 'data']],
  ['image', ['type', 'source', 'cache_control', 'transformations']],
  ['document', ['type', 'source', 'title', 'context', 'citations', 'cache_control']],
  ['search_result', ['type', 'source', 'title', 'content', 'citations', 'cache_control']],
  ['tool_reference', ['type', 'tool_name', 'cache_control']],
  ['browser_state', ['type', 'tabs', 'state_changes', 'cache_control']],
  ['container_upload', ['type', 'file_id', 'cache_control']],
  ['compaction', ['type', 'content', 'encrypted_content', 'signature', 'tool_changes', 'cache_control']],
  ['server_tool_use', ['type', 'id', 'name', 'input', 'cache_control', 'caller']],
  ['mcp_tool_use', ['type', 'id', 'name', 'input', 'server_name', 'cache_control']],
  ['mcp_tool_result', [...SERVER_RESULT, 'is_error']],
  ['web_search_tool_result', SERVER_RESULT],
  ['web_fetch_tool_result', SERVER_RESULT],
  ['code_execution_tool_result', SERVER_RESULT],
  ['bash_code_execution_tool_result', SERVER_RESULT],
  ['text_editor_code_execution_tool_result', SERVER_RESULT],
  ['tool_search_tool_result', SERVER_RESULT],
]);

const RESULT_KINDS: readonly string[] = [
  'text',
  'image',
  'document',
  'search_result',
  'tool_reference',
  'browser_state',
];

const MANY_IMAGES_SIDE = 2000;
const IMAGE_SIDE = 8000;
const IMAGE_BYTES = 10 * 1024 * 1024;

/** Checks the shape of a block and notes its images and tools in the walk. */
export function checkBlock(walk: Walk, index: number, at: number, block: AnthropicBlock): void {
  let keys: readonly string[] | undefined;
  switch (block.type) {
    case 'text':
      keys = TEXT_KEYS;
      if (typeof block.text === 'string') break;
      report(walk, index, 'bad-content', `${place(index, at)}.text.text: Input should be a valid string`);
      break;
    case 'tool_use':
      keys = CALL_KEYS;
      walk.tools = true;
      break;
    case 'tool_result':
      keys = RESULT_KEYS;
      walk.tools = true;
      if (isBlockList(block.content)) {
        checkResultContent(walk, index, place(index, at), block.content);
      }
      break;
    case 'thinking':
    case 'redacted_thinking':
      checkThinking(walk, index, at, block);
      break;
    case 'image':
      checkImage(walk, index, block, place(index, at));
      break;
    case 'document':
      countPages(walk, block);
      break;
  }
  // The commonest know their keys: to look them up would cost more than all else that is checked of a block.
  keys ??= BLOCK_KEYS.get(block.type);
  if (keys !== undefined && hasExtra(block, keys)) {
    reportExtra(walk, index, block, keys, `${place(index, at)}.${block.type}`);
  }
}

/** Checks that a message has no fields of its own. */
export function checkMessageKeys(walk: Walk, index: number, message: AnthropicMessage): void {
  if (hasExtra(message, MESSAGE_KEYS)) reportExtra(walk, index, message, MESSAGE_KEYS, `messages.${index}`);
}

const THINKING: Readonly<Record<string, readonly string[]>> = {
  adaptive: ['type', 'display', 'block_binding'],
  enabled: ['type', 'budget_tokens', 'display', 'block_binding'],
  disabled: ['type'],
};
const TOOL_KEYS: readonly string[] = [
  ...['type', 'name', 'description', 'input_schema', 'input_examples', 'strict', 'cache_control'],
  ...['defer_loading', 'allowed_callers', 'eager_input_streaming'],
];

/** Checks that `thinking` and the tools have no unknown fields; kinds that are not known here may have any. */
export function checkFields(walk: Walk): void {
  const { thinking, tools = [] } = walk.request;
  const keys = thinking && Object.hasOwn(THINKING, thinking.type) ? THINKING[thinking.type] : undefined;
  if (thinking && keys) reportExtra(walk, -1, thinking, keys, `thinking.${thinking.type}`, 'extra-field');
  for (const [at, tool] of tools.entries()) {
    if ((tool.type ?? 'custom') !== 'custom') continue;
    reportExtra(walk, -1, tool, TOOL_KEYS, `tools.${at}.custom`, 'extra-field');
  }
}

function hasExtra(value: object, keys: readonly string[]): boolean {
  for (const key in value) if (!keys.includes(key)) return true;
  return false;
}

function reportExtra(
  walk: Walk,
  index: number,
  value: object,
  keys: readonly string[],
  path: string,
  rule?: 'extra-field',
): void {
  const fields: [string, unknown][] = Object.entries(value);
  for (const [key, field] of fields) {
    if (field === undefined || keys.includes(key)) continue;
    const thinking = key === 'cache_control' && keys.includes('type');
    const broken = rule ?? (thinking ? 'marker-on-thinking' : 'extra-field');
    report(walk, index, broken, `${path}.${key}: Extra inputs are not permitted`);
  }
}

function checkResultContent(walk: Walk, index: number, path: string, content: readonly AnthropicBlock[]): void {
  const tagged = `${path}.tool_result.content`;
  for (let at = 0; at < content.length; at++) {
    const block = content[at];
    if (!isRecord(block) || !RESULT_KINDS.includes(block.type)) {
      const message = `Input tag '${block?.type}' found using 'type' does not match any of the expected tags: '${RESULT_KINDS.join("', '")}'`;
      report(walk, index, 'result-content', `${tagged}.${at}: ${message}`);
      continue;
    }
    if (block.type === 'image') checkImage(walk, index, block, `${tagged}.${at}`);
    if (block.type === 'document') countPages(walk, block);
    const keys = BLOCK_KEYS.get(block.type);
    if (keys !== undefined && hasExtra(block, keys)) {
      reportExtra(walk, index, block, keys, `${tagged}.${at}.${block.type}`);
    }
  }
}

function isBlockList(content: unknown): content is readonly AnthropicBlock[] {
  return Array.isArray(content);
}

function checkImage(walk: Walk, index: number, block: AnthropicBlock, path: string): void {
  walk.images++;
  const { source } = block;
  if (!isRecord(source) || source.type !== 'base64' || typeof source.data !== 'string') return;
  const tagged = `${path}.image.source.base64`;
  const bytes = bytesIn(source.data);
  if (bytes > IMAGE_BYTES) {
    const message = `${tagged}: image exceeds 10 MB maximum: ${bytes} bytes > ${IMAGE_BYTES} bytes`;
    report(walk, index, 'image-bytes', message);
  }
  const size = imageSize(source.data);
  const side = size === undefined ? 0 : Math.max(size.width, size.height);
  if (side > IMAGE_SIDE) {
    const message = `At least one of the image dimensions exceed max allowed size: ${IMAGE_SIDE} pixels`;
    report(walk, index, 'image-side', `${tagged}.data: ${message}`);
  } else if (side > MANY_IMAGES_SIDE) {
    walk.large.push({ index, path: `${tagged}.data` });
  }
}

function countPages(walk: Walk, { source }: AnthropicBlock): void {
  if (isRecord(source) && source.type === 'base64') walk.pages += pdfPages(source.data);
}

function bytesIn(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor(base64.length * 0.75) - padding;
}
