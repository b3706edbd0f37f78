import { type AnthropicBlock, claudeImageTokens, imageSize, pdfTokens } from 'holdfast/rules';
import { canonical, hashOf, isJson, textOf } from '../json.ts';
import { type Marker, type Measured, measure, type Piece, textFor } from '../measure.ts';
import type { AnthropicStandInModel } from '../models.ts';
import { isThinking, mediaIn, type PlacedBlock, placeBlocks } from './blocks.ts';
import type { AnthropicBody } from './body.ts';

/** Tokens that the API adds once a request has tools. */
const TOOL_TOKENS = 290;

/**
 * The prompt in the API's order, tools, system, messages, each block a piece: what is counted, cached and billed. Key
 * order counts, as it does for a real cache. What is in `dropped` is left out. Pure.
 */
export function anthropicPieces(
  body: AnthropicBody,
  model: AnthropicStandInModel,
  dropped: ReadonlySet<unknown> = new Set(),
): Measured[] {
  const { tools, system, messages, cache_control: top } = body;
  const blocks = placeBlocks(messages).filter(({ block }) => !dropped.has(block));
  const list: Piece[] = tools.map((tool, at) => ({
    text: (at === 0 ? textFor('tools', TOOL_TOKENS, model.characters) : '') + bare(tool),
    marker: markerOf(tool.cache_control),
  }));
  for (const block of system) list.push({ text: `system: ${bare(block)}`, marker: markerOf(block.cache_control) });
  const setting = settingOf(body, blocks);
  const marked = blocks.findLastIndex(({ block }) => !isThinking(block));
  for (const [at, { block, role, last }] of blocks.entries()) {
    const marker = markerIn(block) ?? (at === marked ? markerOf(top) : undefined);
    list.push({ text: `${role}: ${rendered(block, model)}`, marker, last, setting: at === 0 ? setting : undefined });
  }
  return measure(body.model, list, model.characters);
}

/** What changes the messages' cache though it is no part of the messages. */
function settingOf(body: AnthropicBody, blocks: readonly PlacedBlock[]): string {
  const images = blocks.some(({ block }) => mediaIn(block).some(({ type }) => type === 'image'));
  const { type, budget_tokens: budget } = body.thinking ?? { type: 'disabled' };
  const effort = isJson(body.output_config) ? body.output_config.effort : undefined;
  return hashOf(canonical([body.tool_choice, type, budget, effort, images]));
}

function markerOf(marker: unknown): Marker | undefined {
  return isJson(marker) ? { seconds: marker.ttl === '1h' ? 3600 : 300 } : undefined;
}

/** A marker inside of a result counts for the whole of it. */
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

/** What the model reads of a block: its words rather than their JSON, pictures by the formula. */
function rendered(block: AnthropicBlock, model: AnthropicStandInModel): string {
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
      return textFor(block.source, claudeImageTokens(imageSize(dataOf(block))), model.characters);
    case 'document':
      return isPdf(block) ? textFor(block.source, pdfTokens(dataOf(block)), model.characters) : bare(block);
    default:
      return bare(block);
  }
}

function dataOf({ source }: AnthropicBlock): unknown {
  return isJson(source) ? source.data : undefined;
}

function isPdf({ source }: AnthropicBlock): boolean {
  return isJson(source) && source.type !== 'text' && source.type !== 'content';
}
