type Fields = Readonly<Record<string, unknown>>;

/** The value as a record; empty if it is not one. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

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
