/** Headers of one connection, which no proxy forwards. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Raw headers (name, value, name, value …) without those of the connection and those in `also`, which is in lower case. Names
 * keep their spelling, and repeated headers stay. Pure.
 */
export function forwarded(raw: readonly string[], ...also: readonly string[]): string[] {
  const dropped = new Set(also);
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.toLowerCase() === 'connection')
      for (const name of (raw[i + 1] ?? '').split(',')) dropped.add(name.trim().toLowerCase());
  const kept: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]];
    const lower = name.toLowerCase();
    if (!HOP_BY_HOP.has(lower) && !dropped.has(lower)) kept.push(name, value);
  }
  return kept;
}

/** The value of the first header with this name, which is in lower case. Pure. */
export function headerIn(raw: readonly string[], name: string): string | undefined {
  for (let i = 0; i < raw.length; i += 2) if (raw[i]?.toLowerCase() === name) return raw[i + 1];
  return undefined;
}
