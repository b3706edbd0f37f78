import type OpenAI from 'openai';

type Item = OpenAI.Responses.ResponseInputItem;

/** The item without its encrypted reasoning. It keeps its place and is not sent. Pure. */
export function withoutThinking(item: Item): Item {
  if (!isReasoning(item) || isLost(item)) return item;
  return { type: 'reasoning', id: item.id, summary: [] };
}

/**
 * The items that can be sent if nothing is stored: without reasoning of which only an id is left. The item after it loses its
 * own id, by which the API would look for the reasoning. Copies if needed. Pure.
 */
export function withoutLost<T extends Item>(items: readonly T[]): T[] {
  let isAfter = false;
  return items.flatMap((item) => {
    if (isReasoning(item)) {
      isAfter = isLost(item);
      return isAfter ? [] : [item];
    }
    if (!isAnswer(item)) isAfter = false;
    return [isAfter ? withoutId(item) : item];
  });
}

function isReasoning(item: Item): item is OpenAI.Responses.ResponseReasoningItem {
  return item.type === 'reasoning';
}

function isLost({ encrypted_content: sealed, content }: OpenAI.Responses.ResponseReasoningItem): boolean {
  return !sealed && !content?.length;
}

/** True for items of the model: any other item ends its answer. */
function isAnswer(item: Item): boolean {
  return item.type === 'function_call' || ('role' in item && item.role === 'assistant');
}

function withoutId<T extends Item>(item: T): T {
  if (!('id' in item)) return item;
  const { id: _, ...rest } = item;
  return rest as T;
}
