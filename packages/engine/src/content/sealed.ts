const SEALED = /^(?:.*encrypted.*|.*signature|redacted_?data|data|blob)$/i;

/** True if a field of this name has opaque data: a `data:` URL, long base64, or what only the provider can read. */
export function isSealed(key: string, value: unknown): value is string {
  if (typeof value !== 'string') return false;
  return /^data:[^,]{0,99};base64,/.test(value) || (SEALED.test(key) && /^[\w+/=-]{100}/.test(value));
}
