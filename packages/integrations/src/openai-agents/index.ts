import type { SessionTokens, WireMessage } from '@holdfast/sessions';
import {
  type AgentInputItem,
  type FunctionTool,
  type Model,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  tool,
} from '@openai/agents';
import { openaiResponses } from 'holdfast';
import { createBridge } from '../bridge/bridge.ts';
import type { HoldfastOptions } from '../bridge/options.ts';
import { RECALL_TOOL, recallToolIn } from '../bridge/recall-tool.ts';
import { fromWire, toWire } from './items.ts';

export type { HoldfastEvent, HoldfastOptions } from '../bridge/options.ts';

/** Wraps models, and has the tool by which they recall. */
export interface HoldfastAgents {
  /** The same model with bounded conversations. */
  model(model: Model, name?: string): Model;
  /** The same provider, for a `Runner`: all of its models have bounded conversations. */
  provider(provider: ModelProvider): ModelProvider;
  /** Add it to the agent's tools: without it, notes name no handles. */
  readonly recall: FunctionTool<unknown, typeof RECALL_TOOL.schema>;
}

/**
 * Keeps the conversations of agents bounded: each request sends a view instead of its items. Sessions stay complete. A
 * conversation is found by its items, or named by `modelSettings.providerData.holdfast.conversation`.
 */
export function holdfast(options: HoldfastOptions): HoldfastAgents {
  const bridge = createBridge<AgentInputItem, WireMessage>('openai-agents', options, {
    dialect: openaiResponses<WireMessage>(),
    toWire,
    fromWire,
  });

  const bounded = async (request: ModelRequest, model: string) => {
    const { input, modelSettings, tools, systemInstructions, previousResponseId, conversationId } = request;
    const { holdfast: own, ...providerData } = modelSettings.providerData ?? {};
    const settings = own === undefined ? modelSettings : { ...modelSettings, providerData };
    // The server has the rest of such a conversation, and a text alone is its beginning.
    if (typeof input === 'string' || previousResponseId !== undefined || conversationId !== undefined)
      return { request: { ...request, modelSettings: settings }, answered: async () => undefined };
    const sent = await bridge.fit({
      messages: input,
      model,
      conversation: own?.conversation,
      recall: recallToolIn(tools),
      outside: [systemInstructions, tools],
    });
    const answered = (usage: Usage) => sent.answered(usage, tokensOf(usage));
    return { request: { ...request, modelSettings: settings, input: sent.messages }, answered };
  };

  const wrap = (model: Model, name = 'default'): Model => ({
    ...(model.supportsPromptModelSelection === undefined
      ? {}
      : { supportsPromptModelSelection: model.supportsPromptModelSelection }),
    async getResponse(given) {
      const { request, answered } = await bounded(given, name);
      const response = await model.getResponse(request);
      await answered(response.usage);
      return response;
    },
    async *getStreamedResponse(given) {
      const { request, answered } = await bounded(given, name);
      for await (const event of model.getStreamedResponse(request)) {
        if (event.type === 'response_done') await answered(event.response.usage);
        yield event;
      }
    },
    getRetryAdvice: (given) => model.getRetryAdvice?.(given),
  });

  const { name, description, schema } = RECALL_TOOL;
  return {
    model: wrap,
    provider: (provider) => ({ getModel: async (named) => wrap(await provider.getModel(named), named) }),
    recall: tool({
      name,
      description,
      parameters: schema,
      strict: true,
      execute: (input) => bridge.recall((input as { readonly handle: string }).handle),
    }),
  };
}

type Usage = Pick<ModelResponse['usage'], 'inputTokens' | 'outputTokens'> & { readonly inputTokensDetails?: unknown };

/** Of the SDK's own usage, whose input includes what is cached. */
function tokensOf({ inputTokens, outputTokens: output, inputTokensDetails }: Usage): SessionTokens {
  const details = [inputTokensDetails].flat()[0] as { readonly cached_tokens?: number } | undefined;
  const cacheRead = details?.cached_tokens ?? 0;
  return { input: inputTokens - cacheRead, output, cacheRead };
}
