import { BasePlugin, FunctionTool, type LlmRequest, type LlmResponse } from '@google/adk';
import type { SessionTokens, WireMessage } from '@holdfast/sessions';
import { gemini } from 'holdfast';
import { type Bounded, createBridge } from '../bridge/bridge.ts';
import type { HoldfastOptions } from '../bridge/options.ts';
import { RECALL_TOOL } from '../bridge/recall-tool.ts';

export type { HoldfastEvent, HoldfastOptions } from '../bridge/options.ts';

/** The options of all frameworks, and whether the agent gets a recall tool. */
export interface AdkOptions extends HoldfastOptions {
  /** Adds the tool `recall`, with which the model reads folded messages again. Default false: then notes name no handles. */
  readonly recall?: boolean;
}

type Content = LlmRequest['contents'][number];
type CallbackContext = Parameters<BasePlugin['beforeModelCallback']>[0]['callbackContext'];
type Usage = NonNullable<LlmResponse['usageMetadata']>;

/**
 * A plugin that keeps the conversations of a runner's agents bounded: each request sends a view instead of its contents. The
 * session stays complete. A conversation is named by its session.
 */
export function holdfast({ recall = false, ...options }: AdkOptions): BasePlugin {
  const bridge = createBridge<Content, WireMessage>('google-adk', options, {
    dialect: gemini<WireMessage>(),
    toWire: (content) => content as unknown as WireMessage,
    fromWire: (message) => message as unknown as Content,
  });
  const { name, description, schema } = RECALL_TOOL;
  const recallTool = new FunctionTool({
    name,
    description,
    parameters: { ...schema, additionalProperties: undefined } as never,
    execute: (input: unknown) => bridge.recall((input as { readonly handle: string }).handle),
  });
  /** What was sent for each invocation, until its answer comes. */
  const sent = new WeakMap<object, Bounded<Content>>();

  return new (class extends BasePlugin {
    override async beforeModelCallback({
      callbackContext,
      llmRequest,
    }: {
      readonly callbackContext: CallbackContext;
      readonly llmRequest: LlmRequest;
    }) {
      if (recall) await recallTool.processLlmRequest({ toolContext: callbackContext, llmRequest });
      const { invocationContext: invocation } = callbackContext;
      const { contents, model = 'unknown', config } = llmRequest;
      const bounded = await bridge.fit({
        messages: contents,
        model,
        conversation: invocation.session.id,
        recall: recall ? name : undefined,
        outside: [config?.systemInstruction, config?.tools],
      });
      llmRequest.contents = bounded.messages;
      sent.set(invocation, bounded);
      return undefined;
    }

    override async afterModelCallback({
      callbackContext,
      llmResponse,
    }: {
      readonly callbackContext: CallbackContext;
      readonly llmResponse: LlmResponse;
    }) {
      const { usageMetadata: usage, partial } = llmResponse;
      const bounded = sent.get(callbackContext.invocationContext);
      if (usage && !partial) await bounded?.answered(usage, tokensOf(usage));
      return undefined;
    }
  })('holdfast');
}

/** Of Gemini's usage, whose prompt includes what is cached. */
function tokensOf(usage: Usage): SessionTokens {
  const { promptTokenCount = 0, candidatesTokenCount = 0, thoughtsTokenCount = 0 } = usage;
  const { cachedContentTokenCount: cacheRead = 0 } = usage;
  return { input: promptTokenCount - cacheRead, output: candidatesTokenCount + thoughtsTokenCount, cacheRead };
}
