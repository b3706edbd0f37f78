import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';

/** The blocks of a message's content. */
export function blocksOf(message: unknown): readonly Fields[] {
  const { content } = fieldsOf(message);
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map(fieldsOf) : [];
}

/** The text of a message, blocks joined. */
export function textOf(message: unknown): string {
  return blocksOf(message)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('');
}

/** The first non-empty text under one of these names. */
export function textAt(fields: Fields, ...names: readonly string[]): string | undefined {
  const found = names.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '');
  return found as string | undefined;
}

/** The number under a name, if it is 0 or more. */
export function numberAt(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
