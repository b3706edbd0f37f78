import type { AnthropicBlock, AnthropicMessage } from 'holdfast/rules';
import { isJson, listOf, textOf } from '../json.ts';

/** A block and where it stands. */
export interface PlacedBlock {
  readonly block: AnthropicBlock;
  readonly role: string;
  readonly path: string;
  readonly index: number;
  /** It is the last of its message. */
  readonly last: boolean;
}

/** All blocks of the messages in their order; a text alone counts as one block. */
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

/** The words in the content of a block or a result. */
export function wordsIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => textOf(part.text))
    .filter((text) => text !== '')
    .join('\n');
}

/** Every image and document in a block, the ones inside of results too. */
export function mediaIn(block: unknown): readonly AnthropicBlock[] {
  if (!isJson(block)) return [];
  if (block.type === 'image' || block.type === 'document') return [block as unknown as AnthropicBlock];
  return block.type === 'tool_result' ? listOf(block.content).flatMap(mediaIn) : [];
}
