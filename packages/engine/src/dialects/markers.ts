import { isRecord } from '../json/record.ts';

/** The number of cache markers of any provider on these blocks and in results. */
export function countMarkers(blocks: unknown): number {
  if (!Array.isArray(blocks)) return 0;
  let markers = 0;
  for (const block of blocks) {
    if (!isRecord(block)) continue;
    if (isMarked(block)) markers++;
    if (block.type === 'tool_result') markers += countMarkers(block.content);
  }
  return markers;
}

function isMarked(block: Readonly<Record<string, unknown>>): boolean {
  return Boolean(block.cache_control || block.prompt_cache_breakpoint);
}

/** A copy that keeps only its last `keep` cache markers; the same object if it has no more. */
export function withMarkers<M extends { readonly content?: unknown; readonly output?: unknown }>(
  message: M,
  keep: number,
  blocks: 'content' | 'output' = 'content',
): M {
  let spare = countMarkers(message[blocks]) - keep;
  if (spare <= 0) return message;
  const strip = (block: unknown): unknown => {
    if (!isRecord(block)) return block;
    const nested =
      block.type === 'tool_result' && Array.isArray(block.content) ? { content: block.content.map(strip) } : {};
    if (!isMarked(block) || spare-- <= 0) return { ...block, ...nested };
    const { cache_control: _, prompt_cache_breakpoint: __, ...rest } = block;
    return { ...rest, ...nested };
  };
  return { ...message, [blocks]: (message[blocks] as readonly unknown[]).map(strip) };
}
