import { isRecord } from '../content.ts';

/** True for a block that carries a cache marker of any provider. */
export function isMarked(block: unknown): boolean {
  return isRecord(block) && Boolean(block.cache_control || block.prompt_cache_breakpoint);
}

/** A copy of the message whose last `keep` cache markers stay; the same object if it has no more than that. */
export function withMarkers<M extends { readonly content?: unknown }>(message: M, keep: number): M {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  let spare = content.filter(isMarked).length - keep;
  if (spare <= 0) return message;
  const blocks = content.map((block) => {
    if (!isMarked(block) || spare-- <= 0) return block;
    const { cache_control: _, prompt_cache_breakpoint: __, ...rest } = block;
    return rest;
  });
  return { ...message, content: blocks };
}
