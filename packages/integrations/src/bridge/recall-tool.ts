import { recalledImages, recalledText, recallHandle, type SessionStore } from '@holdfast/sessions';
import { isHoldfastError } from 'holdfast';
import type { Fields } from './parts.ts';

/** The recall tool in a form that every framework takes. */
export const RECALL_TOOL = {
  name: 'recall',
  description:
    'Returns the exact original of something that was shortened or left out of this conversation. Pass a handle as it stands in the conversation, such as m41.0@ID or m12-m40@ID.',
  schema: {
    type: 'object' as const,
    properties: { handle: { type: 'string' as const, description: 'A handle from this conversation.' } },
    required: ['handle'],
    additionalProperties: false as const,
  },
};

/** The name that an agent gave our recall tool; undefined if it does not have it. Pure. */
export function recallToolIn(tools: readonly unknown[] = []): string | undefined {
  for (const tool of tools) {
    const { name, description } = (tool ?? {}) as { readonly name?: unknown; readonly description?: unknown };
    if (description === RECALL_TOOL.description && typeof name === 'string') return name;
  }
  return undefined;
}

/** The sentence of a note on how to recall; false without a tool. Pure. */
export function recallSentence(tool: string | undefined): string | false {
  return tool !== undefined && `To read an original, call the tool ${tool} with its handle, such as {handle}.`;
}

/** What the tool returns for its input, as parts of the AI SDK: a text, and pictures as files. Never throws. */
export async function recallParts(store: SessionStore, input: unknown): Promise<Fields[]> {
  const { handle } = (input ?? {}) as { readonly handle?: unknown };
  try {
    const recalled = await recallHandle(store, String(handle));
    const images = recalledImages(recalled).map((image) => ({ type: 'file', ...image }));
    return [{ type: 'text', text: recalledText(recalled) }, ...images];
  } catch (error) {
    const text = isHoldfastError(error) ? error.message : `the original cannot be read: ${String(error)}`;
    return [{ type: 'text', text }];
  }
}
