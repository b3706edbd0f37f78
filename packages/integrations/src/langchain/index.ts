import type { SessionTokens, WireMessage } from '@holdfast/sessions';
import { aiSdk } from 'holdfast';
import { AIMessage, type BaseMessage, createMiddleware, tool } from 'langchain';
import { createBridge } from '../bridge/bridge.ts';
import type { HoldfastOptions } from '../bridge/options.ts';
import { RECALL_TOOL, recallToolIn } from '../bridge/recall-tool.ts';
import { fromWire, toWire } from './messages.ts';

export type { HoldfastEvent, HoldfastOptions } from '../bridge/options.ts';

/** The options of all frameworks, and whether the agent gets a recall tool. */
export interface LangChainOptions extends HoldfastOptions {
  /** Adds the tool `recall`, with which the model reads folded messages again. Default false: then notes name no handles. */
  readonly recall?: boolean;
}

/**
 * Middleware for `createAgent` that keeps its conversations bounded: the model gets a view instead of the state's messages. The
 * state stays complete. A conversation is named by `thread_id`, otherwise found by its messages.
 */
export function holdfast({ recall = false, ...options }: LangChainOptions) {
  const bridge = createBridge<BaseMessage, WireMessage>('langchain', options, {
    dialect: aiSdk<WireMessage>(),
    toWire,
    fromWire,
  });
  const { name, description, schema } = RECALL_TOOL;
  const recallTool = tool(({ handle }: { readonly handle: string }) => bridge.recall(handle), {
    name,
    description,
    schema,
  });
  return createMiddleware({
    name: 'Holdfast',
    tools: recall ? [recallTool] : [],
    wrapModelCall: async (request, handler) => {
      const { messages, model, runtime, systemMessage, tools } = request;
      const sent = await bridge.fit({
        messages,
        model: modelName(model),
        conversation: runtime.configurable?.thread_id,
        recall: recallToolIn(tools),
        outside: systemMessage?.text,
      });
      const answer = await handler({ ...request, messages: sent.messages });
      const usage = AIMessage.isInstance(answer) && (answer.usage_metadata as Usage | undefined);
      if (usage) await sent.answered(usage, tokensOf(usage));
      return answer;
    },
  });
}

function modelName(model: unknown): string {
  const { model: name, modelName: older } = (model ?? {}) as { readonly model?: unknown; readonly modelName?: unknown };
  return String(name ?? older ?? 'unknown');
}

interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly input_token_details?: { readonly cache_read?: number; readonly cache_creation?: number };
}

/** Of LangChain's own usage, whose input includes what is cached. */
function tokensOf(usage: Usage): SessionTokens {
  const { cache_read: cacheRead = 0, cache_creation: cacheWrite = 0 } = usage.input_token_details ?? {};
  const input = Math.max(0, usage.input_tokens - cacheRead - cacheWrite);
  return { input, output: usage.output_tokens, cacheRead, cacheWrite };
}
