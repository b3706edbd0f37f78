import type { SessionTokens, WireMessage } from '@holdfast/sessions';
import {
  InvokeModelStage,
  type LocalAgent,
  type Message,
  type MiddlewareHandlerOf,
  type Plugin,
  type Tool,
  tool,
} from '@strands-agents/sdk';
import { anthropic } from 'holdfast';
import { createBridge } from '../bridge/bridge.ts';
import type { HoldfastOptions } from '../bridge/options.ts';
import { RECALL_TOOL, recallToolIn } from '../bridge/recall-tool.ts';
import { fromWire, toWire } from './messages.ts';

export type { HoldfastEvent, HoldfastOptions } from '../bridge/options.ts';

/** The options of all frameworks, and whether the agent gets a recall tool. */
export interface StrandsOptions extends HoldfastOptions {
  /** Adds the tool `recall`, with which the model reads folded messages again. Default false: then notes name no handles. */
  readonly recall?: boolean;
}

/**
 * A plugin that keeps the conversations of agents bounded: each model call sends a view instead of the agent's messages, which
 * stay complete. A conversation is named by the session of the agent's session manager, otherwise found by its messages.
 */
export function holdfast({ recall = false, ...options }: StrandsOptions): Plugin {
  const bridge = createBridge<Message, WireMessage>('strands', options, {
    dialect: anthropic<WireMessage>(),
    toWire,
    fromWire,
  });
  const { name, description, schema } = RECALL_TOOL;
  const recallTool: Tool = tool({
    name,
    description,
    inputSchema: schema,
    callback: (input) => bridge.recall((input as { readonly handle: string }).handle),
  });
  const invokeModel: MiddlewareHandlerOf<typeof InvokeModelStage> = async function* (context, next) {
    const { agent, messages, model, systemPrompt, toolSpecs } = context;
    const sent = await bridge.fit({
      messages,
      model: model.getConfig().modelId ?? 'unknown',
      conversation: sessionOf(agent),
      recall: recallToolIn(toolSpecs),
      outside: [systemPrompt, toolSpecs],
    });
    const answer = yield* next({ ...context, messages: sent.messages });
    const usage = answer.result.metadata?.usage;
    if (usage) await sent.answered(usage, tokensOf(usage));
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

/** Of Strands' own usage, whose input excludes what is cached. */
function tokensOf(usage: {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
}): SessionTokens {
  const { inputTokens: input, outputTokens: output, cacheReadInputTokens: cacheRead = 0 } = usage;
  return { input, output, cacheRead, cacheWrite: usage.cacheWriteInputTokens ?? 0 };
}
