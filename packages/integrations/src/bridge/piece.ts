import type { WireMessage } from '@holdfast/sessions';
import { aiSdk } from 'holdfast';
import type { Form } from './bridge.ts';

/** A wire message, and the framework's message that it is, or is part of; without one if a fold made it. */
export interface Piece<N> {
  readonly wire: WireMessage;
  readonly native?: N;
}

/** For frameworks whose copies need more than their wire message, such as the message that they are copies of. */
export function pieceForm<N>(): Form<Piece<N>, WireMessage> {
  return { dialect: aiSdk<WireMessage>(), toWire: ({ wire }) => wire, fromWire: (wire) => ({ wire }) };
}

/** The fields of a part of a message. */
export type Fields = Readonly<Record<string, unknown>>;

/** The options of a part that is the framework's own summary: no fold touches it, because it speaks for what is gone. */
export const SUMMARY: Fields = { providerOptions: { holdfast: { type: 'compaction' } } };

/** The parts of a message of the AI SDK. Pure. */
export function partsOf(wire: WireMessage | undefined): readonly Fields[] {
  const content = wire?.content ?? [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly Fields[]);
}

/** A part of a message as an item of a result, where files have another type. Pure. */
export function resultItem(part: Fields): Fields {
  return part.type === 'file' ? { ...part, type: 'file-data' } : part;
}

/** The text of a result; undefined without one. Pure. */
export function outputText(output: Fields | undefined): string | undefined {
  if (!output || typeof output.value === 'string') return output?.value as string | undefined;
  const items = output.value as readonly Fields[];
  return items.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}
