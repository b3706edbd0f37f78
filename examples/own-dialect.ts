import type { Call, Dialect, Reading, Result, Violation } from 'holdfast';

/** A part of Gemini's `contents`, with the fields that a window reads. */
export interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown };
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response?: unknown };
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
}

/** One of Gemini's `contents`. */
export interface GeminiContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly GeminiPart[];
}

/** The tokens of a picture of up to 384 px. Larger ones are cut into tiles at this price, which is left out here. */
const IMAGE_TOKENS = 258;
const UNKNOWN_CALL = 'A result for a call that is not in this conversation';

/** Gemini's generateContent, smaller than the built-in dialect. System instructions are outside the contents, so there is no system message. */
export const gemini: Dialect<GeminiContent> = {
  name: 'small-gemini',
  thinking: 'free',
  uniqueCallIds: false,
  resultsTogether: true,
  splitResponses: false,
  systemInside: 'anywhere',
  limits: { bytes: 20_000_000 }, // with data inside the request
  read,
  text: (content) => partsOf(content).filter(isWords).map(wordsOf).join('\n'),
  maskResults(content, texts) {
    let place = -1;
    return withParts(content, (part) => {
      const text = part.functionResponse && texts.get(++place);
      return text === undefined ? [part] : [responding(part, text)];
    });
  },
  maskText(content, text) {
    const first = content.parts.findIndex(isWords);
    return withParts(content, (part, at) => (at === first ? [{ text }] : isWords(part) ? [] : [part]));
  },
  withoutThinking(content) {
    const bare = withParts(content, (part) => (part.thought ? [] : [part]));
    return bare.parts.length === 0 ? undefined : bare;
  },
  withMarkers: (content) => content, // Gemini caches without markers
  note: (role, text) => ({ role: role === 'user' ? 'user' : 'model', parts: [{ text }] }),
  answer(calls, text, into) {
    const results = calls.map(({ id, name }) => ({
      functionResponse: { ...(id.startsWith('#') ? {} : { id }), name, response: { error: text } },
    }));
    if (!into?.parts.some(isResult)) return [{ role: 'user', parts: results }, ...(into ? [into] : [])];
    return [{ ...into, parts: [...into.parts, ...results] }];
  },
  quote(content, places) {
    let place = -1;
    const quoted = content.parts.filter((part) => isResult(part) && places.has(++place));
    const kept = content.parts.filter((part) => !quoted.includes(part));
    const parts = quoted.map((part) => ({
      text: `[${UNKNOWN_CALL}]\n${responseText(part.functionResponse?.response)}`,
    }));
    return [...(kept.length > 0 ? [{ ...content, parts: kept }] : []), { role: 'user', parts }];
  },
  validate,
  recognizes(content) {
    if (!isRecord(content) || (content.role !== 'user' && content.role !== 'model')) return false;
    return Array.isArray(content.parts) && content.parts.every((part) => isRecord(part) && part.type === undefined);
  },
};

function read(content: GeminiContent): Reading {
  const calls: Call[] = [];
  const results: Result[] = [];
  const named: string[] = [];
  let chars = 0;
  let images = 0;
  let bytes = 0;
  let words = false;
  let thinking = false;
  for (const part of partsOf(content)) {
    const { functionCall: call, functionResponse: result } = part;
    if (call) {
      calls.push({ id: idOf(call, named), name: call.name, input: call.args ?? {} });
      chars += call.name.length + JSON.stringify(call.args ?? {}).length;
    } else if (result) {
      const text = responseText(result.response);
      const error = isRecord(result.response) && result.response.error !== undefined;
      results.push({ id: idOf(result, named), content: text, error });
      chars += result.name.length + text.length;
    } else if (part.inlineData) {
      images++;
      bytes += part.inlineData.data.length;
      words = true;
    } else {
      chars += part.text?.length ?? 0;
      if (part.thought) thinking = true;
      else words = true;
    }
  }
  const role = results.length > 0 ? 'tool' : content.role === 'model' ? 'assistant' : 'user';
  const found = { role, chars, media: images * IMAGE_TOKENS, calls, results, words, thinking } as const;
  const mediaSizes = { images, wide: 0, bytes, side: 0, largest: bytes };
  return { ...found, markers: 0, joined: false, firm: false, ...(images > 0 ? { mediaSizes } : {}) };
}

/** Older models send no ids; calls and results of a turn are then matched by name and order. */
function idOf({ id, name }: { readonly id?: string; readonly name: string }, before: string[]): string {
  const place = before.filter((other) => other === name).length;
  before.push(name);
  return id ?? `#${place} ${name}`;
}

/** The text of a response: the one field that the API documents, or else all of it. */
function responseText(response: unknown): string {
  const { output, error, ...rest } = isRecord(response) ? response : {};
  const text = output ?? error;
  return typeof text === 'string' && Object.keys(rest).length === 0 ? text : JSON.stringify(response ?? {});
}

/** A copy of the part with a new text in the same field. */
function responding(part: GeminiPart, text: string): GeminiPart {
  const { functionResponse: result } = part;
  if (!result) return part;
  const failed = isRecord(result.response) && result.response.error !== undefined;
  return { ...part, functionResponse: { ...result, response: failed ? { error: text } : { output: text } } };
}

/** A copy in which `change` may remove, keep or replace each part. */
function withParts(
  content: GeminiContent,
  change: (part: GeminiPart, at: number) => readonly GeminiPart[],
): GeminiContent {
  return { ...content, parts: content.parts.flatMap(change) };
}

function validate(contents: readonly GeminiContent[], request: { readonly part?: boolean } = {}): Violation[] {
  const found: Violation[] = [];
  for (const [index, content] of contents.entries()) {
    const broken = (rule: string, fix: string) => found.push({ index, rule, fix });
    const parts = partsOf(content);
    if (content?.role !== 'user' && content?.role !== 'model') broken('bad-role', 'Use the role "user" or "model".');
    if (parts.length === 0) broken('no-parts', 'Drop the content, or give it a part.');
    if (parts.some((part) => part.text === '' && !part.thoughtSignature)) broken('empty-text', 'Drop the part.');
    if (content?.role === 'user' && parts.some(({ functionCall }) => functionCall))
      broken('call-of-user', 'Calls are made by the role "model".');
    if (index === 0 && content?.role === 'model' && !request.part) broken('first-model', 'Begin with the user.');
    if (index > 0 && contents[index - 1]?.role === 'model' && parts.some(({ functionCall }) => functionCall))
      broken('call-after-model', 'Let a call follow the user or the results of other calls.');
  }
  return found;
}

function partsOf(content: GeminiContent | undefined): readonly GeminiPart[] {
  return Array.isArray(content?.parts) ? content.parts.filter(isRecord) : [];
}

function isResult(part: GeminiPart): boolean {
  return part.functionResponse !== undefined;
}

function isWords(part: GeminiPart): boolean {
  return !part.thought && !part.functionCall && !isResult(part);
}

function wordsOf(part: GeminiPart): string {
  return part.inlineData ? `[${part.inlineData.mimeType}]` : (part.text ?? '');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
