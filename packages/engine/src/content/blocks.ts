import { isRecord } from '../json/record.ts';

/** True for a block of plain text, in any wire format. */
export function isText({ type }: Readonly<Record<string, unknown>>): boolean {
  return /^(?:(?:in|out)put_)?text$/.test(String(type));
}

/** The kind of media in each block type that a dialect knows. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ...['image', 'image_url', 'input_image', 'image-data', 'image-url', 'image-file-id', 'image-file-reference'].map(
    (type) => [type, 'image'] as const,
  ),
  ...['file', 'input_file', 'file-data', 'file-url', 'file-id', 'file-reference'].map(
    (type) => [type, 'file'] as const,
  ),
  ['document', 'document'],
  ['input_audio', 'sound'],
]);

/** The kind of media in a block; undefined for text and for unknown blocks. */
export function mediaKind(block: unknown): string | undefined {
  if (!isRecord(block)) return undefined;
  const gemini = block.inlineData ?? block.fileData;
  const kind = gemini ? 'file' : KINDS.get(String(block.type));
  const media = isRecord(gemini) ? gemini.mimeType : block.mediaType;
  return kind === 'file' && /^image\b/.test(String(media)) ? 'image' : kind;
}

/** True if a text can replace this content: text, or blocks of text and media. Unknown blocks are never rewritten. */
export function isReplaceable(content: unknown): boolean {
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every((block) => isKnownBlock(block));
}

/** True for text or media of a format that we know. */
export function isKnownBlock(block: unknown): boolean {
  if (!isRecord(block)) return typeof block === 'string';
  const { type, text } = block;
  return isText(block) || type === 'refusal' || (type === undefined && typeof text === 'string') || !!mediaKind(block);
}

/** Counts the media in a content: `2 images, 1 file`. Empty if there are none. Pure. */
export function mediaIn(content: unknown): string {
  const counts = new Map<string, number>();
  for (const block of Array.isArray(content) ? content : []) {
    const kind = mediaKind(block);
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}${count > 1 && kind !== 'sound' ? 's' : ''}`).join(', ');
}
