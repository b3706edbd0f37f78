import { type AnthropicBlock, type AnthropicMessage, claudeImageTokens, imageSize, pdfTokens } from 'holdfast/rules';
import { canonical, hashOf, isJson, type Json, listOf, textOf } from '../json.ts';
import { type Marker, type Measured, measure, type PromptPart, textFor } from '../measure.ts';
import type { AnthropicStandInModel } from '../models.ts';
import type { AnthropicBody } from './body.ts';

/** Tokens that the API adds if a request has tools. */
const TOOL_TOKENS = 290;

/**
 * The prompt in the API's order (tools, system, messages), one part per block: what is counted, cached and billed. Key
 * order matters, as for a real cache. Blocks in `dropped` are left out. Pure.
 */
export function anthropicPrompt(
  body: AnthropicBody,
  model: AnthropicStandInModel,
  dropped: ReadonlySet<unknown> = new Set(),
): Measured[] {
  const { tools, system, messages, cache_control: top } = body;
  const blocks = placeBlocks(messages).filter(({ block }) => !dropped.has(block));
  // A deferred tool is not in the prompt until a reference loads it, and then only there.
  const list: PromptPart[] = tools.filter(isLoaded).map((tool, at) => ({
    text: (at === 0 ? textFor('tools', TOOL_TOKENS, model.characters) : '') + bare(tool),
    marker: markerOf(tool.cache_control),
  }));
  for (const block of system) list.push({ text: `system: ${bare(block)}`, marker: markerOf(block.cache_control) });
  const setting = settingOf(body, blocks);
  const marked = blocks.findLastIndex(({ block }) => !isThinking(block));
  for (const [at, { block, role, last }] of blocks.entries()) {
    const marker = markerIn(block) ?? (at === marked ? markerOf(top) : undefined);
    list.push({
      text: `${role}: ${rendered(block, model)}${loadedBy(block, tools)}`,
      marker,
      last,
      setting: at === 0 ? setting : undefined,
    });
  }
  return measure(body.model, list, model.characters);
}

/** True for a tool that is in the prompt from the start. */
export function isLoaded(tool: Json): boolean {
  return tool.defer_loading !== true;
}

/** The names of the tools that a block loads: a result with references, or a search by the server. */
export function namesLoaded({ type, content }: AnthropicBlock): string[] {
  if (type !== 'tool_result' && type !== 'tool_search_tool_result') return [];
  const parts = isJson(content) ? content.tool_references : content;
  return listOf(parts).flatMap((part) => (part.type === 'tool_reference' ? [textOf(part.tool_name)] : []));
}

function loadedBy(block: AnthropicBlock, tools: readonly Json[]): string {
  return namesLoaded(block)
    .map((name) => bare(tools.find((tool) => tool.name === name) ?? name))
    .join('');
}

/** Settings outside the messages that invalidate the messages' cache. */
function settingOf(body: AnthropicBody, blocks: readonly PlacedBlock[]): string {
  const images = blocks.some(({ block }) => mediaIn(block).some(({ type }) => type === 'image'));
  const { type, budget_tokens: budget } = body.thinking ?? { type: 'disabled' };
  const effort = isJson(body.output_config) ? body.output_config.effort : undefined;
  return hashOf(canonical([body.tool_choice, type, budget, effort, images]));
}

function markerOf(marker: unknown): Marker | undefined {
  return isJson(marker) ? { seconds: marker.ttl === '1h' ? 3600 : 300 } : undefined;
}

/** A marker inside a result counts for the whole result. */
function markerIn(block: AnthropicBlock): Marker | undefined {
  const inner = Array.isArray(block.content)
    ? block.content.findLast((part) => isJson(part) && part.cache_control)
    : undefined;
  return markerOf(block.cache_control) ?? markerOf(isJson(inner) ? inner.cache_control : undefined);
}

/** JSON text without markers. */
function bare(value: unknown): string {
  return JSON.stringify(value, (key, item: unknown) => (key === 'cache_control' ? undefined : item));
}

/** What the model reads of a block: its text rather than JSON, and images by formula. */
function rendered(block: AnthropicBlock, model: AnthropicStandInModel): string {
  const data = isJson(block.source) ? block.source.data : undefined;
  switch (block.type) {
    case 'text':
      return textOf(block.text);
    case 'thinking':
      return `thinking ${textOf(block.thinking)}${block.thinking === '' ? hashOf(textOf(block.signature)) : ''}`;
    case 'redacted_thinking':
      return `thinking ${hashOf(textOf(block.data))}`;
    case 'tool_use':
      return `call ${block.id} ${block.name} ${JSON.stringify(block.input)}`;
    case 'tool_result': {
      const { content, tool_use_id: id, is_error: error } = block;
      const parts = Array.isArray(content) ? content.map((part) => rendered(part, model)) : [textOf(content)];
      return `result ${id}${error ? ' error' : ''} ${parts.join('\n')}`;
    }
    case 'image':
      return textFor(block.source, claudeImageTokens(imageSize(data)), model.characters);
    case 'document':
      return isPdf(block) ? textFor(block.source, pdfTokens(data), model.characters) : bare(block);
    default:
      return bare(block);
  }
}

function isPdf({ source }: AnthropicBlock): boolean {
  return isJson(source) && source.type !== 'text' && source.type !== 'content';
}

/** A block and its place. */
interface PlacedBlock {
  readonly block: AnthropicBlock;
  readonly role: string;
  readonly path: string;
  readonly index: number;
  /** True if it is the last block of its message. */
  readonly last: boolean;
}

/** All blocks of the messages in order; plain text counts as one block. */
export function placeBlocks(messages: readonly AnthropicMessage[]): PlacedBlock[] {
  return messages.flatMap(({ role, content }, index) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return blocks.map((block, at) => {
      const path = `messages.${index}.content.${at}`;
      return { block, role, path, index, last: at === blocks.length - 1 };
    });
  });
}

/** True for thinking, readable or redacted. */
export function isThinking({ type }: AnthropicBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Every image and document in a block, including those in results. */
function mediaIn(block: unknown): readonly AnthropicBlock[] {
  if (!isJson(block)) return [];
  if (block.type === 'image' || block.type === 'document') return [block as unknown as AnthropicBlock];
  return block.type === 'tool_result' ? listOf(block.content).flatMap(mediaIn) : [];
}
