import type { Dialect } from 'holdfast';

/** A message without its thinking and signatures; the same one if it has none. Pure. */
export function withoutThinking<M>(dialect: Dialect<M>, message: M): M {
  if (dialect.unsigned) return dialect.unsigned(message);
  if (!dialect.read(message).thinking) return message;
  return dialect.withoutThinking(message) ?? dialect.note('assistant', '(thinking)');
}
