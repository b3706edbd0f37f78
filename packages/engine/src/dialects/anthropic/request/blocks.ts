import { isRecord } from '../../../json/record.ts';
import { imageSize, pdfPages } from '../../../size/media.ts';
import type { AnthropicBlock, AnthropicMessage } from '../wire.ts';
import { checkSystemFields, checkToolChange } from './fields.ts';
import { place, report, type Walk } from './rules.ts';
import { checkThinking } from './thinking.ts';

const MESSAGE_KEYS: readonly string[] = ['role', 'content', 'output_config', 'clear_at'];
const TEXT_KEYS: readonly string[] = ['type', 'text', 'cache_control', 'citations'];
const CALL_KEYS: readonly string[] = ['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset_name'];
const RESULT_KEYS: readonly string[] = ['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name'];
const CHANGE_KEYS: readonly string[] = ['type', 'tool', 'cache_control'];
const SERVER_RESULT: readonly string[] = ['type', 'tool_use_id', 'content', 'cache_control', 'caller'];

/** The server's tools, each with a kind of result. */
const SERVER_TOOLS = 'web_search web_fetch code_execution bash_code_execution text_editor_code_execution tool_search';

/** Fields of known blocks; blocks of other types may be newer than this table and pass. */
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
  ...SERVER_TOOLS.split(' ').map((tool) => [`${tool}_tool_result`, SERVER_RESULT] as const),
  ['tool_addition', CHANGE_KEYS],
  ['tool_removal', CHANGE_KEYS],
]);

const RESULT_KINDS = ['text', 'image', 'document', 'search_result', 'tool_reference', 'browser_state'];

const MAX_IMAGES = 600;
const MANY_IMAGES = 20;
const MANY_IMAGES_SIDE = 2000;
const IMAGE_SIDE = 8000;
const IMAGE_BYTES = 10 * 1024 * 1024;

/** Checks the shape of a block and records its images and tools in the walk. */
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
      if (isBlockList(block.content)) checkResultContent(walk, index, place(index, at), block.content);
      break;
    case 'thinking':
    case 'redacted_thinking':
      checkThinking(walk, index, at, block);
      break;
    case 'tool_search_tool_result':
      if (isRecord(block.content)) noteReferences(walk, index, block.content.tool_references);
      break;
    case 'tool_addition':
    case 'tool_removal':
      checkToolChange(walk, index, at, block);
      break;
    default:
      checkMedia(walk, index, block, place(index, at));
  }
  // The most common types name their keys: a lookup would cost more than all other checks of a block.
  checkKeys(walk, index, block, keys ?? BLOCK_KEYS.get(block.type), `${place(index, at)}.${block.type}`);
}

/** Checks that a message has no unknown fields, and those that only a system message has. */
export function checkMessageKeys(walk: Walk, index: number, message: AnthropicMessage): void {
  checkSystemFields(walk, index, message);
  checkKeys(walk, index, message, MESSAGE_KEYS, `messages.${index}`);
}

/** Reports fields that are not among `keys`; without `keys`, any are allowed. */
function checkKeys(walk: Walk, index: number, value: object, keys: readonly string[] | undefined, path: string): void {
  if (!keys) return;
  for (const key in value) {
    if (keys.includes(key) || value[key as keyof typeof value] === undefined) continue;
    const isThinking = index >= 0 && key === 'cache_control' && keys.includes('type');
    const rule = isThinking ? 'marker-on-thinking' : 'extra-field';
    report(walk, index, rule, `${path}.${key}: Extra inputs are not permitted`);
  }
}

function checkResultContent(walk: Walk, index: number, path: string, content: readonly AnthropicBlock[]): void {
  const tagged = `${path}.tool_result.content`;
  for (const [at, block] of content.entries()) {
    if (!isRecord(block) || !RESULT_KINDS.includes(block.type)) {
      const message = `Input tag '${block?.type}' found using 'type' does not match any of the expected tags: '${RESULT_KINDS.join("', '")}'`;
      report(walk, index, 'result-content', `${tagged}.${at}: ${message}`);
      continue;
    }
    checkMedia(walk, index, block, `${tagged}.${at}`);
    noteReferences(walk, index, [block]);
    checkKeys(walk, index, block, BLOCK_KEYS.get(block.type), `${tagged}.${at}.${block.type}`);
  }
}

/** Notes which tools the blocks load, to be found among the request's. */
function noteReferences(walk: Walk, index: number, blocks: unknown): void {
  for (const block of Array.isArray(blocks) ? blocks : [])
    if (isRecord(block) && block.type === 'tool_reference')
      walk.references.push({ index, name: String(block.tool_name) });
}

function isBlockList(content: unknown): content is readonly AnthropicBlock[] {
  return Array.isArray(content);
}

/** Counts an image or the pages of a document, and checks the image's size. */
function checkMedia(walk: Walk, index: number, { type, source }: AnthropicBlock, path: string): void {
  const isImage = type === 'image';
  if (isImage) walk.images++;
  if (!isRecord(source) || source.type !== 'base64') return;
  if (type === 'document') walk.pages += pdfPages(source.data);
  if (!isImage || typeof source.data !== 'string') return;
  const tagged = `${path}.image.source.base64`;
  const bytes = bytesIn(source.data);
  const over = `image exceeds 10 MB maximum: ${bytes} bytes > ${IMAGE_BYTES} bytes`;
  if (bytes > IMAGE_BYTES) report(walk, index, 'image-bytes', `${tagged}: ${over}`);
  const size = imageSize(source.data);
  const side = size === undefined ? 0 : Math.max(size.width, size.height);
  if (side > IMAGE_SIDE) {
    const message = `At least one of the image dimensions exceed max allowed size: ${IMAGE_SIDE} pixels`;
    report(walk, index, 'image-side', `${tagged}.data: ${message}`);
  } else if (side > MANY_IMAGES_SIDE) {
    walk.large.push({ index, path: `${tagged}.data` });
  }
}

/** Checks how many images and document pages there are, and how large each image may then be. */
export function checkImageTotal(walk: Walk): void {
  const { images, pages, large, request } = walk;
  const most = request.model?.images ?? MAX_IMAGES;
  if (images + pages > most)
    report(walk, -1, 'too-many-images', `Too much media: ${pages} document pages + ${images} images > ${most}`);
  if (images <= MANY_IMAGES) return;
  for (const { index, path } of large) {
    const text = `At least one of the image dimensions exceed max allowed size for many-image requests: ${MANY_IMAGES_SIDE} pixels`;
    report(walk, index, 'many-images-side', `${path}: ${text}`);
  }
}

function bytesIn(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor(base64.length * 0.75) - padding;
}
