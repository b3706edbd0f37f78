import { type AgentInputItem, type Model, type ModelProvider, type ModelRequest, tool } from '@openai/agents';
import { openaiResponses } from 'holdfast';
import { createBridge } from '../bridge/bridge.ts';
import type { HoldfastOptions } from '../bridge/options.ts';
import { RECALL_TOOL, recallToolIn } from '../bridge/recall-tool.ts';
import { answerTo, streamTo } from '../bridge/resend.ts';
import { fromWire, recalledOutput, toWire } from './items.ts';

export type { HoldfastEvent, HoldfastOptions } from '../bridge/options.ts';

/**
 * Keeps the conversations of agents bounded: each request sends a view instead of its items. Sessions stay complete. A
 * conversation is found by its items, or named by `modelSettings.providerData.holdfast.conversation`.
 */
export function holdfast(options: HoldfastOptions = {}) {
  const bridge = createBridge<AgentInputItem>('openai-agents', options, {
    dialect: openaiResponses(),
    toWire,
    fromWire,
  });

  const bounded = async (given: ModelRequest, model: string) => {
    const { input, tools, systemInstructions, previousResponseId, conversationId } = given;
    const { holdfast: own, ...providerData } = given.modelSettings.providerData ?? {};
    const request = own ? { ...given, modelSettings: { ...given.modelSettings, providerData } } : given;
    // The server has the rest of such a conversation, and a text alone is its beginning.
    const isPart = typeof input === 'string' || previousResponseId !== undefined || conversationId !== undefined;
    const view = await bridge.fit({
      messages: isPart ? [] : input,
      model,
      conversation: own?.conversation,
      recall: recallToolIn(tools),
      outside: [systemInstructions, tools],
    });
    return { view, requestWith: (items: AgentInputItem[]) => ({ ...request, input: isPart ? input : items }) };
  };

  const wrap = (model: Model, name = 'default'): Model => ({
    ...(model.supportsPromptModelSelection ? { supportsPromptModelSelection: true } : {}),
    async getResponse(given) {
      const { view, requestWith } = await bounded(given, name);
      const response = await answerTo(view, (items) => model.getResponse(requestWith(items)));
      await view.answered(response.usage);
      return response;
    },
    async *getStreamedResponse(given) {
      const { view, requestWith } = await bounded(given, name);
      for await (const event of streamTo(view, (items) => model.getStreamedResponse(requestWith(items)))) {
        if (event.type === 'response_done') await view.answered(event.response.usage);
        yield event;
      }
    },
    getRetryAdvice: (given) => model.getRetryAdvice?.(given),
  });

  const { name, description, schema: parameters } = RECALL_TOOL;
  const execute = async (input: unknown) => recalledOutput(await bridge.recall(input));
  return {
    /** The same model with bounded conversations. */
    model: wrap,
    /** The same provider, for a `Runner`: all of its models have bounded conversations. */
    provider: (provider: ModelProvider): ModelProvider => ({
      getModel: async (named) => wrap(await provider.getModel(named), named),
    }),
    /** Add it to the agent's tools: without it, notes name no handles. */
    recall: tool({ name, description, parameters, strict: true, execute }),
  };
}
