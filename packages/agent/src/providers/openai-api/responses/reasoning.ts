import type OpenAI from 'openai';

type Item = OpenAI.Responses.ResponseInputItem;

/** The item without what only the maker of its reasoning can read. It keeps its place, and is not sent. Pure. */
export function withoutThinking(item: Item): Item {
  if (!isReasoning(item) || isLost(item)) return item;
  return { type: 'reasoning', id: item.id, summary: [] };
}

/**
 * The items that can be sent where nothing is stored: without reasoning of which only an id is left. What followed such
 * reasoning goes without its own id, by which the API would look for it. Copies where needed. Pure.
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

/** True for what the model said: what ends an answer is said by somebody else. */
function isAnswer(item: Item): boolean {
  return item.type === 'function_call' || ('role' in item && item.role === 'assistant');
}

function withoutId<T extends Item>(item: T): T {
  if (!('id' in item)) return item;
  const { id: _, ...rest } = item;
  return rest as T;
}
