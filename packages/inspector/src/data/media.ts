import type { Media } from '../api/types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Most levels of a message to look through. */
const DEPTH = 8;

/** Images, documents and sound in a message's content, in order, in any wire format. Their bytes are counted, not kept. Pure. */
export function mediaIn(value: unknown, depth = 0): Media[] {
  if (typeof value !== 'object' || value === null || depth > DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item) => mediaIn(item, depth + 1));
  const own = mediaOf(value as Fields);
  if (own) return [own];
  return Object.values(value as Fields).flatMap((item) => mediaIn(item, depth + 1));
}

function mediaOf(block: Fields): Media | undefined {
  const { type, source, image_url, file, input_audio, inlineData, fileData, image, data, mediaType } = block;
  if (isFields(inlineData)) return made(inlineData.data, inlineData.mimeType);
  if (isFields(fileData)) return made('', fileData.mimeType);
  if (!/^(?:image|document|input_image|image_url|input_file|file|input_audio|audio|media)$/.test(String(type)))
    return undefined;
  if (isFields(source)) return made(source.data, source.media_type, String(type));
  if (isFields(image_url)) return made(image_url.url, undefined, 'image');
  if (typeof image_url === 'string') return made(image_url, undefined, 'image');
  if (isFields(input_audio)) return made(input_audio.data, `audio/${String(input_audio.format)}`);
  if (isFields(file)) return made(file.file_data, undefined, 'document');
  return made(data ?? image ?? block.file_data, mediaType ?? block.media_type, String(type));
}

function made(data: unknown, format: unknown, kind = ''): Media {
  const text = typeof data === 'string' ? data : '';
  const [, named, encoded] = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[^,]*)?,(.*)$/s.exec(text) ?? [];
  const known = typeof format === 'string' && format !== '' ? format : named;
  const isLink = encoded === undefined && /^(?:https?|gs|file):/.test(text);
  const bytes = isLink ? 0 : Math.floor(((encoded ?? text).length * 3) / 4);
  return { kind: kindOf(known ?? '', kind), ...(known === undefined ? {} : { format: known }), bytes };
}

function kindOf(format: string, type: string): Media['kind'] {
  const [, kind] = /^(image|audio)\//.exec(format) ?? [];
  if (kind === 'image' || kind === 'audio') return kind;
  if (format !== '' || /document|file/.test(type)) return 'document';
  if (type.includes('image')) return 'image';
  return type.includes('audio') ? 'audio' : 'other';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
