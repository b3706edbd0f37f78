import type { SessionTokens, WireMessage } from '@holdfast/sessions';
import type {
  ProcessInputStepArgs,
  ProcessInputStepResult,
  ProcessLLMRequestArgs,
  ProcessLLMRequestResult,
  ProcessLLMResponseArgs,
} from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { aiSdk } from 'holdfast';
import { type Bounded, createBridge } from '../bridge/bridge.ts';
import type { HoldfastOptions } from '../bridge/options.ts';
import { type Fields, partsOf } from '../bridge/piece.ts';
import { withPlainBytes } from '../bridge/plain-bytes.ts';
import { RECALL_TOOL } from '../bridge/recall-tool.ts';

export type { HoldfastEvent, HoldfastOptions } from '../bridge/options.ts';

/** The options of all frameworks, and whether the agent gets a recall tool. */
export interface MastraOptions extends HoldfastOptions {
  /** Adds the tool `recall`, with which the model reads folded messages again. Default false: then notes name no handles. */
  readonly recall?: boolean;
}

/** The methods of a processor that bound its agent's requests. */
export interface HoldfastProcessor {
  readonly id: 'holdfast';
  processInputStep(args: ProcessInputStepArgs): ProcessInputStepResult;
  processLLMRequest(args: ProcessLLMRequestArgs): Promise<ProcessLLMRequestResult>;
  processLLMResponse(args: ProcessLLMResponseArgs): Promise<void>;
}

type Message = ProcessLLMRequestArgs['prompt'][number];

/** Where the processor keeps what it sent until the response comes. */
const SENT = 'holdfast';

/**
 * An input processor that keeps an agent's conversations bounded: each request sends a view instead of its messages. Memory
 * stays complete. A conversation is named by its thread, otherwise found by its messages.
 */
export function holdfast({ recall = false, ...options }: MastraOptions): HoldfastProcessor {
  const bridge = createBridge<Message, WireMessage>('mastra', options, {
    dialect: aiSdk<WireMessage>(),
    toWire: (message) => withItems(withPlainBytes(message) as WireMessage, 'media', 'file-data'),
    fromWire: (message) => withItems(message, 'file-data', 'media') as unknown as Message,
  });
  const { name, description, schema } = RECALL_TOOL;
  const recallTool = createTool({
    id: name,
    description,
    inputSchema: schema,
    execute: (input) => bridge.recall((input as { readonly handle: string }).handle),
  });
  return {
    id: 'holdfast',
    processInputStep: ({ tools }) => (recall ? { tools: { ...tools, [name]: recallTool } } : {}),
    async processLLMRequest({ prompt, model, state, requestContext }) {
      const sent = await bridge.fit({
        messages: prompt,
        model: model.modelId,
        conversation: threadIn(requestContext?.get('MastraMemory')),
        recall: recall ? name : undefined,
      });
      state[SENT] = sent;
      return { prompt: sent.messages };
    },
    async processLLMResponse({ steps, state, fromCache }) {
      const { [SENT]: sent } = state as { readonly [SENT]?: Bounded<Message> };
      const usage = steps.at(-1)?.usage;
      if (sent && usage && !fromCache) await sent.answered(usage, tokensOf(usage));
    },
  };
}

/** The message with items of one type in its results as items of another: pictures are `media` in Mastra. Pure. */
function withItems(message: WireMessage, from: string, to: string): WireMessage {
  if (message.role !== 'tool') return message;
  const content = partsOf(message).map((part) => {
    const output = (part.output ?? {}) as Fields;
    if (output.type !== 'content') return part;
    const items = output.value as readonly Fields[];
    return {
      ...part,
      output: { ...output, value: items.map((item) => (item.type === from ? { ...item, type: to } : item)) },
    };
  });
  return { ...message, content };
}

function threadIn(memory: unknown): string | undefined {
  const { thread } = (memory ?? {}) as { readonly thread?: { readonly id?: unknown } };
  return typeof thread?.id === 'string' ? thread.id : undefined;
}

/** Of a step's usage, whose input includes what is cached. */
function tokensOf(usage: {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}): SessionTokens {
  const { inputTokens = 0, outputTokens: output = 0, cachedInputTokens: cacheRead = 0 } = usage;
  return { input: Math.max(0, inputTokens - cacheRead), output, cacheRead };
}
