/** A server's result as text for the model; anything else is named with its size. Pure; never throws. */
export function mcpText(result: unknown): { text: string; is_error: boolean } {
  const { content, structuredContent, isError } = record(result);
  const parts = Array.isArray(content) ? content.map(partText) : [];
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  return { text: parts.join('\n') || 'no output', is_error: isError === true };
}

function partText(part: unknown): string {
  const { type, text, data, mimeType, resource, uri, name } = record(part);
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'image' || type === 'audio') return `[${type}, ${String(mimeType)}, ${bytesOf(data)} bytes, not shown]`;
  if (type === 'resource') {
    const inner = record(resource);
    if (typeof inner.text === 'string') return `[resource ${String(inner.uri)}]\n${inner.text}`;
    return `[resource ${String(inner.uri)}, ${bytesOf(inner.blob)} bytes, not shown]`;
  }
  if (type === 'resource_link') return `[resource ${String(uri)}: ${String(name)}]`;
  return JSON.stringify(part);
}

function bytesOf(base64: unknown): number {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
