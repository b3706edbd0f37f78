import type { Content, Part } from '@google/genai';

/** What the API takes in place of a signature: for calls of another server, or that are not as the model made them. */
export const UNSIGNED = 'skip_thought_signature_validator';

/** A copy without thoughts and signatures; the first call says that it has none. Pure. */
export function withoutSignatures(content: Content): Content {
  if (content.role !== 'model') return content;
  const { parts = [] } = content;
  const first = parts.find((part) => part.functionCall);
  const kept = parts.flatMap((part): Part[] => {
    const { thoughtSignature: _, ...rest } = part;
    if (part.thought || rest.text === '') return [];
    return [part === first ? { ...rest, thoughtSignature: UNSIGNED } : rest];
  });
  return { ...content, parts: kept.length > 0 ? kept : [{ text: '(thinking)' }] };
}
