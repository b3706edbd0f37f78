import { type GeminiContent, type GeminiPart, isModels, partsOf } from './wire.ts';

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
