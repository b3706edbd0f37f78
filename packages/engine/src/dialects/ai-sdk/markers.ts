import { isRecord } from '../../json/record.ts';
import type { AiSdkMessage, AiSdkOptions, AiSdkPart } from './wire.ts';

/** A message, a part, an output or one of its items: anything with options for the provider. */
interface Owner {
  readonly providerOptions?: AiSdkOptions | undefined;
}

const MARKER = /^cache_?(?:control|point)$|^promptCacheBreakpoint$/i;

/** The number of cache markers of any provider on a message, its parts and results. */
export function countMarkers(message: AiSdkMessage): number {
  let markers = Number(isMarked(message));
  if (typeof message.content === 'string' || !Array.isArray(message.content)) return markers;
  for (const part of message.content) {
    if (!isRecord(part)) continue;
    const { output } = part;
    if (isMarked(part)) markers++;
    if (!isRecord(output)) continue;
    if (isMarked(output)) markers++;
    if (Array.isArray(output.value)) for (const item of output.value) if (isMarked(item)) markers++;
  }
  return markers;
}

/** A copy that keeps only its last `keep` cache markers; its own counts as the last. The same object if it has no more. */
export function withMarkers(message: AiSdkMessage, keep: number): AiSdkMessage {
  let spare = countMarkers(message) - keep;
  if (spare <= 0) return message;
  const strip = <T extends Owner>(owner: T): T => (isMarked(owner) && spare-- > 0 ? withoutMarkers(owner) : owner);
  const { content } = message;
  if (typeof content === 'string') return strip(message);
  return strip({ ...message, content: content.map((part) => stripPart(part, strip)) });
}

function stripPart(part: AiSdkPart, strip: <T extends Owner>(owner: T) => T): AiSdkPart {
  const output = part?.output;
  if (!isRecord(output)) return strip(part);
  const value = Array.isArray(output.value) ? { value: output.value.map(strip) } : {};
  return strip({ ...part, output: strip({ ...output, ...value }) });
}

function isMarked(owner: unknown): boolean {
  const options = isRecord(owner) ? owner.providerOptions : undefined;
  return isRecord(options) && Object.values(options).some((own) => isRecord(own) && Object.keys(own).some(isMarker));
}

function isMarker(key: string): boolean {
  return MARKER.test(key);
}

/** Drops options that become empty: a message without markers must equal one that never had any. */
function withoutMarkers<T extends Owner>({ providerOptions = {}, ...owner }: T): T {
  const kept = Object.entries(providerOptions).flatMap(([name, own]) => {
    const fields = Object.entries(own as object).filter(([key]) => !isMarker(key));
    return fields.length === 0 ? [] : [[name, Object.fromEntries(fields)]];
  });
  return (kept.length === 0 ? owner : { ...owner, providerOptions: Object.fromEntries(kept) }) as T;
}
