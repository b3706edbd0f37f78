import type { WireMessage } from '@holdfast/sessions';
import type { ErrorProcessor, InputProcessor, ProcessLLMRequestArgs } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { type Bounded, createBridge } from '../bridge/bridge.ts';
import type { RecallOptions } from '../bridge/options.ts';
import { type Fields, partsOf, resultPart } from '../bridge/parts.ts';
import { withPlainBytes } from '../bridge/plain-bytes.ts';
import { RECALL_TOOL } from '../bridge/recall-tool.ts';

export type { HoldfastEvent, RecallOptions } from '../bridge/options.ts';

type Message = ProcessLLMRequestArgs['prompt'][number];

/** Where the processor keeps the tools until the request is made, and what it sent until the response comes. */
const TOOLS = 'tools';
const SENT = 'holdfast';

/**
 * An input processor that keeps an agent's conversations bounded: each request sends a view instead of its messages. Memory
 * stays complete. A conversation is named by its thread, otherwise found by its messages.
 */
export function holdfast({ recall = false, ...options }: RecallOptions = {}): InputProcessor & ErrorProcessor {
  const bridge = createBridge<Message>('mastra', options, {
    toWire: (message) => withItems(withPlainBytes(message) as WireMessage, 'media', 'file-data'),
    fromWire: ([message]) => withItems(message, 'file-data', 'media') as unknown as Message,
  });
  const { name, description, schema } = RECALL_TOOL;
  const recallTool = createTool({
    id: name,
    description,
    inputSchema: schema,
    execute: bridge.recall,
    toModelOutput: (parts) => mapItems(resultPart({}, parts as Fields[]), 'file-data', 'media').output,
  });
  const viewIn = (state: Fields) => state[SENT] as Bounded<Message> | undefined;
  return {
    id: 'holdfast',
    processInputStep({ tools, state }) {
      const all = { ...tools, ...(recall ? { [name]: recallTool } : {}) };
      state[TOOLS] = all;
      return recall ? { tools: all } : {};
    },
    async processLLMRequest({ prompt, model, state, requestContext }) {
      const view = await bridge.fit({
        messages: prompt,
        model: model.modelId,
        conversation: threadIn(requestContext?.get('MastraMemory')),
        recall: recall ? name : undefined,
        outside: state[TOOLS],
      });
      state[SENT] = view;
      return { prompt: view.messages };
    },
    async processLLMResponse({ chunks, state, fromCache }) {
      if (!fromCache) await viewIn(state)?.answered(usageIn(chunks));
    },
    async processAPIError({ error, state }) {
      // The next request of this conversation has no thinking.
      const bare = await viewIn(state)?.withoutThinking(error);
      return { retry: bare !== undefined };
    },
  };
}

/** The message with items of one type in its results as items of another: pictures are `media` in Mastra. Pure. */
function withItems(message: WireMessage, from: string, to: string): WireMessage {
  if (message.role !== 'tool') return message;
  return { ...message, content: partsOf(message).map((part) => mapItems(part, from, to)) };
}

function mapItems(part: Fields, from: string, to: string): Fields {
  const output = (part.output ?? {}) as Fields;
  if (output.type !== 'content') return part;
  const items = output.value as readonly Fields[];
  const value = items.map((item) => (item.type === from ? { ...item, type: to } : item));
  return { ...part, output: { ...output, value } };
}

/** The usage at the end of a response. The steps that Mastra passes with it lack the one that has just ended. */
function usageIn(chunks: readonly { readonly payload?: unknown }[]): unknown {
  const outputs = chunks.map(({ payload }) => (payload as Fields | undefined)?.output as Fields | undefined);
  return outputs.findLast((output) => output?.usage)?.usage;
}

function threadIn(memory: unknown): string | undefined {
  const { thread } = (memory ?? {}) as { readonly thread?: { readonly id?: unknown } };
  return typeof thread?.id === 'string' ? thread.id : undefined;
}
