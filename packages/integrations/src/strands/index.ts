import {
  InvokeModelStage,
  type LocalAgent,
  type Message,
  type MiddlewareHandlerOf,
  type Plugin,
  tool,
} from '@strands-agents/sdk';
import { anthropic } from 'holdfast';
import { createBridge } from '../bridge/bridge.ts';
import type { RecallOptions } from '../bridge/options.ts';
import { RECALL_TOOL, recallToolIn } from '../bridge/recall-tool.ts';
import { streamTo } from '../bridge/resend.ts';
import { withCacheApart } from '../bridge/tokens.ts';
import { fromWire, recalledBlock, toWire } from './messages.ts';

export type { HoldfastEvent, RecallOptions } from '../bridge/options.ts';

/** Models of Strands that count what was read from a cache as input, too; Bedrock's and Anthropic's do not. */
const CACHE_INSIDE = /^(?:OpenAI|Google|Vercel)/;

/**
 * A plugin that keeps the conversations of agents bounded: each model call sends a view instead of the agent's messages, which
 * stay complete. A conversation is named by the session of the agent's session manager, otherwise found by its messages.
 */
export function holdfast({ recall = false, ...options }: RecallOptions = {}): Plugin {
  const bridge = createBridge<Message>('strands', options, { dialect: anthropic(), toWire, fromWire });
  const { name, description, schema: inputSchema } = RECALL_TOOL;
  const callback = async (input: unknown) => (await bridge.recall(input)).map(recalledBlock) as never;
  const recallTool = tool({ name, description, inputSchema, callback });
  const invokeModel: MiddlewareHandlerOf<typeof InvokeModelStage> = async function* (context, next) {
    const { agent, messages, model, systemPrompt, toolSpecs } = context;
    const view = await bridge.fit({
      messages,
      model: model.getConfig().modelId ?? 'unknown',
      conversation: sessionOf(agent),
      recall: recallToolIn(toolSpecs),
      outside: [systemPrompt, toolSpecs],
    });
    const answer = yield* streamTo(view, (sent) => next({ ...context, messages: sent }));
    const { usage } = answer.result.metadata ?? {};
    await view.answered(CACHE_INSIDE.test(model.constructor.name) ? withCacheApart(usage) : usage);
    return answer;
  };
  return {
    name: 'holdfast',
    initAgent: (agent) => {
      agent.addMiddleware(InvokeModelStage, invokeModel);
    },
    getTools: () => (recall ? [recallTool] : []),
  };
}

/** Without a session manager, the id of a session is new with each agent object. */
function sessionOf(agent: LocalAgent): string | undefined {
  return 'sessionManager' in agent && agent.sessionManager ? agent.sessionId : undefined;
}
