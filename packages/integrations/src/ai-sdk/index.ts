import type { WireMessage } from '@holdfast/sessions';
import { jsonSchema, type LanguageModelMiddleware, type Tool, tool } from 'ai';
import { createBridge } from '../bridge/bridge.ts';
import type { HoldfastOptions } from '../bridge/options.ts';
import type { Fields } from '../bridge/parts.ts';
import { withPlainBytes } from '../bridge/plain-bytes.ts';
import { RECALL_TOOL, recallToolIn } from '../bridge/recall-tool.ts';
import { answerTo } from '../bridge/resend.ts';

export type { HoldfastEvent, HoldfastOptions } from '../bridge/options.ts';

type Generate = NonNullable<LanguageModelMiddleware['wrapGenerate']>;
type Stream = NonNullable<LanguageModelMiddleware['wrapStream']>;
type Options = Pick<Parameters<Generate>[0], 'params' | 'model'>;
type Message = Options['params']['prompt'][number];

/** Middleware for `wrapLanguageModel`, with the tool by which the model recalls. */
export interface HoldfastMiddleware extends LanguageModelMiddleware {
  /** Add it to the agent's tools: without it, notes name no handles. */
  readonly recall: Tool<{ readonly handle: string }, Fields[]>;
}

/**
 * Keeps the conversations of a model bounded: each call sends a view instead of its messages, and learns from the usage of the
 * answer. A conversation is named by `providerOptions.holdfast.conversation`, otherwise found by its messages.
 */
export function holdfast(options: HoldfastOptions = {}): HoldfastMiddleware {
  const bridge = createBridge<Message>('ai-sdk', options, {
    toWire: (message) => withPlainBytes(message) as WireMessage,
    fromWire: ([message]) => message as unknown as Message,
  });
  const bounded = async ({ params, model }: Options) => {
    const { holdfast: own, ...providerOptions } = params.providerOptions ?? {};
    const { tools, prompt: messages } = params;
    const view = await bridge.fit({
      messages,
      model: model.modelId,
      conversation: own?.conversation,
      recall: recallToolIn(tools),
      outside: tools,
    });
    return { view, paramsWith: (prompt: Message[]) => ({ ...params, providerOptions, prompt }) };
  };
  const wrapGenerate: Generate = async (given) => {
    const { view, paramsWith } = await bounded(given);
    const result = await answerTo(view, (prompt) => given.model.doGenerate(paramsWith(prompt)));
    await view.answered(result.usage);
    return result;
  };
  const wrapStream: Stream = async (given) => {
    const { view, paramsWith } = await bounded(given);
    const { stream, ...rest } = await answerTo(view, (prompt) => given.model.doStream(paramsWith(prompt)));
    type Part = typeof stream extends ReadableStream<infer P> ? P : never;
    const reader = new TransformStream<Part, Part>({
      async transform(part, controller) {
        controller.enqueue(part);
        if (part.type === 'finish') await view.answered(part.usage);
      },
    });
    return { ...rest, stream: stream.pipeThrough(reader) };
  };
  const { description, schema } = RECALL_TOOL;
  const recall = tool({
    description,
    inputSchema: jsonSchema<{ readonly handle: string }>(schema),
    execute: bridge.recall,
    toModelOutput: ({ output }) => ({ type: 'content', value: output.map(toItem) as never[] }),
  });
  return { specificationVersion: 'v4', wrapGenerate, wrapStream, recall };
}

function toItem({ data, ...part }: Fields): Fields {
  return part.type === 'file' ? { ...part, data: { type: 'data', data } } : part;
}
