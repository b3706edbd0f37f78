import { isRecord } from '../json/record.ts';
import { isText } from './blocks.ts';

/** How a quoted result begins. */
export const QUOTED = '[Quoted result of the call ';

/** Quotes a result that answers no call. A malicious id cannot end the lead early. */
export function quotedResult(id: unknown, text: string): string {
  const name = String(id)
    .slice(0, 64)
    .replace(/[^\w.:-]+/g, '_');
  return `${QUOTED}${name}]${text === '' ? '' : `\n${text}`}`;
}

/** Quotes the blocks of a result that answers no call. If the first is not text, a lead of this `type` precedes it. */
export function quotedBlocks<B>(
  id: unknown,
  blocks: readonly B[],
  type: string,
): (B | { type: string; text: string })[] {
  const quoted = blocks.map((block) => {
    const text = isRecord(block) && isText(block) ? block.text : undefined;
    return typeof text === 'string' ? { ...block, text: quotedResult(id, text) } : block;
  });
  return quoted[0] === blocks[0] ? [{ type, text: quotedResult(id, '') }, ...quoted] : quoted;
}
