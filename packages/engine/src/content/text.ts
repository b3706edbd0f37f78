import { isRecord } from '../json/record.ts';
import { isKnownBlock, mediaKind } from './blocks.ts';
import { QUOTED } from './quoted-result.ts';
import { isSealed } from './sealed.ts';

const MEDIA = /^(?:input_)?(?:image|document|file|audio)(?:[_-]|$)|^encrypted_content$/;

/** The text of a message or a result: a string, or the text of its blocks; media appear as their type. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(contentText).join('\n');
  if (!isRecord(content)) return String(content ?? '');
  const { type, text, refusal, data } = content;
  const words = text ?? refusal;
  if (typeof words === 'string') return words;
  if (isRecord(data) && typeof data.text === 'string') return data.text; // a file given as text
  const media = type === undefined ? mediaKind(content) : MEDIA.test(String(type)) && type;
  return media ? `[${media}]` : JSON.stringify(content, withoutSealed);
}

function withoutSealed(key: string, value: unknown): unknown {
  return isSealed(key, value) ? `[${key}]` : value;
}

/** What the speaker said: text, without quoted results and the output of a provider's own tools. Pure. */
export function saidText(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  const said = blocks.filter((block) => isKnownBlock(block) && !mediaKind(block)).map(contentText);
  return said.filter((text) => !text.startsWith(QUOTED)).join('\n');
}

/** A text after another one, with a blank line in between. */
export function appendText(before: string, text: string): string {
  return before === '' ? text : `${before}\n\n${text}`;
}
