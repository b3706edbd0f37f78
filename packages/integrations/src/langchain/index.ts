import { AIMessage, type BaseMessage, createMiddleware, tool } from 'langchain';
import { createBridge } from '../bridge/bridge.ts';
import type { RecallOptions } from '../bridge/options.ts';
import { RECALL_TOOL, recallToolIn } from '../bridge/recall-tool.ts';
import { answerTo } from '../bridge/resend.ts';
import { contentOf, fromWire, toWire } from './messages.ts';

export type { HoldfastEvent, RecallOptions } from '../bridge/options.ts';

/**
 * Middleware for `createAgent` that keeps its conversations bounded: the model gets a view instead of the state's messages. The
 * state stays complete. A conversation is named by `thread_id`, otherwise found by its messages.
 */
export function holdfast({ recall = false, ...options }: RecallOptions = {}) {
  const bridge = createBridge<BaseMessage>('langchain', options, { toWire, fromWire });
  const recallTool = tool(async (input) => contentOf(await bridge.recall(input)), RECALL_TOOL);
  return createMiddleware({
    name: 'Holdfast',
    tools: recall ? [recallTool] : [],
    wrapModelCall: async (request, handler) => {
      const { messages, model, runtime, systemMessage, tools } = request;
      const view = await bridge.fit({
        messages,
        model: modelName(model),
        conversation: runtime.configurable?.thread_id,
        recall: recallToolIn(tools),
        outside: [systemMessage?.text, tools],
      });
      const answer = await answerTo(view, (sent) => Promise.resolve(handler({ ...request, messages: sent })));
      // A structured answer comes as a list of messages.
      const { messages: made = [answer] } = answer as { readonly messages?: readonly unknown[] };
      await view.answered(made.filter(AIMessage.isInstance).findLast((one) => one.usage_metadata)?.usage_metadata);
      return answer;
    },
  });
}

function modelName(model: unknown): string {
  return String((model as { model?: unknown })?.model ?? (model as { modelName?: unknown })?.modelName ?? 'unknown');
}
