/** A call of a function; older models send no id. */
export interface GeminiCall {
  readonly id?: string;
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The result of a call: `response` is any object, `parts` are images and files. */
export interface GeminiResponse {
  readonly id?: string;
  readonly name: string;
  readonly response?: Readonly<Record<string, unknown>>;
  readonly parts?: readonly GeminiPart[];
}

/** A part of any kind: the fields that the rules read. */
export interface GeminiPart {
  readonly text?: string;
  /** The text is a summary of the model's thoughts. */
  readonly thought?: boolean;
  /** Opaque data that the model needs to continue after this part. */
  readonly thoughtSignature?: string;
  readonly functionCall?: GeminiCall;
  readonly functionResponse?: GeminiResponse;
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string };
  readonly executableCode?: unknown;
  readonly codeExecutionResult?: unknown;
}

/** One of Gemini's `contents`: `role` is user or model. */
export interface GeminiContent {
  readonly role?: string;
  readonly parts: readonly GeminiPart[];
}

/** The parts of a content; empty if it has no list of them. */
export function partsOf(content: GeminiContent | undefined): readonly GeminiPart[] {
  return Array.isArray(content?.parts) ? content.parts : [];
}

/** True for the model's own; a content without a role is the user's. */
export function isModels(content: GeminiContent | undefined): boolean {
  return content?.role === 'model';
}

export function isCall(part: GeminiPart): boolean {
  return Boolean(part.functionCall);
}

export function isResult(part: GeminiPart): boolean {
  return Boolean(part.functionResponse);
}

/** True for what is said: neither calls, results nor thoughts. */
export function isWords(part: GeminiPart): boolean {
  return !part.thought && !isCall(part) && !isResult(part);
}

/** What the API takes in place of a signature: for calls of another server, or that are not as the model made them. */
export const UNSIGNED = 'skip_thought_signature_validator';

/** The content without thoughts and signatures; the first call says that it has none. The same one if it has neither. Pure. */
export function unsigned(content: GeminiContent): GeminiContent {
  const parts = partsOf(content);
  if (!isModels(content) || !parts.some(isSigned)) return content;
  const first = parts.find((part) => part.functionCall);
  const kept = parts.flatMap((part): GeminiPart[] => {
    const { thoughtSignature: _, ...rest } = part;
    if (part.thought || rest.text === '') return [];
    return [part === first ? { ...rest, thoughtSignature: UNSIGNED } : rest];
  });
  return { ...content, parts: kept.length > 0 ? kept : [{ text: '(thinking)' }] };
}

function isSigned({ thought, thoughtSignature = UNSIGNED }: GeminiPart): boolean {
  return thought === true || thoughtSignature !== UNSIGNED;
}
