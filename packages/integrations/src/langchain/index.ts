import type { WireMessage } from '@holdfast/sessions';
import { aiSdk } from 'holdfast';
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
export function holdfast({ recall = false, ...options }: RecallOptions) {
  const bridge = createBridge<BaseMessage, WireMessage>('langchain', options, {
    dialect: aiSdk<WireMessage>(),
    toWire,
    fromWire,
  });
  const { name, description, schema } = RECALL_TOOL;
  const recallTool = tool(async (input) => contentOf(await bridge.recall(input)), { name, description, schema });
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
      if (AIMessage.isInstance(answer)) await view.answered(answer.usage_metadata);
      return answer;
    },
  });
}

function modelName(model: unknown): string {
  const { model: name, modelName: older } = (model ?? {}) as { readonly model?: unknown; readonly modelName?: unknown };
  return String(name ?? older ?? 'unknown');
}
