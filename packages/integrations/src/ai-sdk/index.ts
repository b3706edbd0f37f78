import type { SessionTokens, WireMessage } from '@holdfast/sessions';
import { jsonSchema, type LanguageModelMiddleware, type Tool, tool } from 'ai';
import { aiSdk } from 'holdfast';
import { type Bounded, createBridge } from '../bridge/bridge.ts';
import type { HoldfastOptions } from '../bridge/options.ts';
import { withPlainBytes } from '../bridge/plain-bytes.ts';
import { RECALL_TOOL, recallToolIn } from '../bridge/recall-tool.ts';

export type { HoldfastEvent, HoldfastOptions } from '../bridge/options.ts';

type Generate = NonNullable<LanguageModelMiddleware['wrapGenerate']>;
type Stream = NonNullable<LanguageModelMiddleware['wrapStream']>;
type Options = Parameters<Generate>[0];
type Params = Options['params'];
type Message = Params['prompt'][number];
type Usage = Awaited<ReturnType<Generate>>['usage'];

/** Middleware for `wrapLanguageModel`, with the tool by which the model recalls. */
export interface HoldfastMiddleware extends LanguageModelMiddleware {
  /** Add it to the agent's tools: without it, notes name no handles. */
  readonly recall: Tool<{ readonly handle: string }, string>;
}

/**
 * Keeps the conversations of a model bounded: each call sends a view instead of its messages, and learns from the usage of the
 * answer. A conversation is named by `providerOptions.holdfast.conversation`, otherwise found by its messages.
 */
export function holdfast(options: HoldfastOptions): HoldfastMiddleware {
  const bridge = createBridge<Message, WireMessage>('ai-sdk', options, {
    dialect: aiSdk<WireMessage>(),
    toWire: (message) => withPlainBytes(message) as WireMessage,
    fromWire: (message) => message as unknown as Message,
  });
  const bounded = async ({ params, model }: Pick<Options, 'params' | 'model'>) => {
    const { holdfast: own, ...providerOptions } = params.providerOptions ?? {};
    const { tools, prompt: messages } = params;
    const sent = await bridge.fit({
      messages,
      model: model.modelId,
      conversation: own?.conversation,
      recall: recallToolIn(tools),
      outside: tools,
    });
    return { sent, params: { ...params, providerOptions, prompt: sent.messages } };
  };
  const wrapGenerate: Generate = async ({ params: given, model }) => {
    const { sent, params } = await bounded({ params: given, model });
    const result = await model.doGenerate(params);
    await learn(sent, result.usage);
    return result;
  };
  const wrapStream: Stream = async ({ params: given, model }) => {
    const { sent, params } = await bounded({ params: given, model });
    const { stream, ...rest } = await model.doStream(params);
    type Part = typeof stream extends ReadableStream<infer P> ? P : never;
    const reader = new TransformStream<Part, Part>({
      async transform(part, controller) {
        controller.enqueue(part);
        if (part.type === 'finish') await learn(sent, part.usage);
      },
    });
    return { ...rest, stream: stream.pipeThrough(reader) };
  };
  const { description, schema } = RECALL_TOOL;
  const recall = tool({
    description,
    inputSchema: jsonSchema<{ readonly handle: string }>(schema),
    execute: ({ handle }) => bridge.recall(handle),
  });
  return { specificationVersion: 'v4', wrapGenerate, wrapStream, recall };
}

async function learn(sent: Bounded<Message>, usage: Usage): Promise<void> {
  await sent.answered(usage, tokensOf(usage));
}

function tokensOf({ inputTokens: input, outputTokens: output }: Usage): SessionTokens {
  const { total = 0, cacheRead = 0, cacheWrite = 0 } = input;
  return { input: input.noCache ?? total - cacheRead - cacheWrite, output: output.total ?? 0, cacheRead, cacheWrite };
}
