import type { SessionTokens } from '@holdfast/sessions';
import type { AssistantMessage, Event } from '@opencode-ai/sdk';
import { type Bounded, createBridge } from '../bridge/bridge.ts';
import type { HoldfastOptions } from '../bridge/options.ts';
import { type Piece, pieceForm } from '../bridge/piece.ts';
import { RECALL_TOOL } from '../bridge/recall-tool.ts';
import { joinMessages, type StoredMessage, splitMessage } from './messages.ts';

export type { HoldfastEvent, HoldfastOptions } from '../bridge/options.ts';
export type { StoredMessage } from './messages.ts';

/** The options of all frameworks, and whether the agent gets a recall tool. */
export interface OpencodeOptions extends HoldfastOptions {
  /** Adds the tool `recall`, with which the model reads folded messages again. Default false: then notes name no handles. */
  readonly recall?: boolean;
}

/** The hooks that opencode calls, as in `@opencode-ai/plugin`. */
export interface HoldfastHooks {
  'experimental.chat.messages.transform'(input: unknown, output: { messages: StoredMessage[] }): Promise<void>;
  'experimental.chat.system.transform'(
    input: { readonly sessionID?: string },
    output: { readonly system: readonly string[] },
  ): Promise<void>;
  event(input: { readonly event: Event }): Promise<void>;
  tool?: Record<string, RecallTool>;
}

interface RecallTool {
  readonly description: string;
  readonly args: typeof RECALL_TOOL.schema.properties;
  execute(args: { readonly handle: string }): Promise<string>;
}

/** A request whose answer opencode has not reported yet. Ids of messages ascend. */
interface Sent {
  readonly bounded: Bounded<Piece<StoredMessage>>;
  readonly after: string;
}

/**
 * A plugin that keeps the conversations of opencode bounded: the model gets a view instead of the session's messages. Sessions
 * stay complete. A conversation is named by its session. Export the result from a file in `.opencode/plugins`.
 */
export function holdfast({ recall = false, ...options }: OpencodeOptions): () => Promise<HoldfastHooks> {
  const bridge = createBridge('opencode', options, pieceForm<StoredMessage>());
  const systems = new Map<string, readonly string[]>();
  const sent = new Map<string, Sent>();
  const hooks: HoldfastHooks = {
    async 'experimental.chat.messages.transform'(_, { messages }) {
      const asked = messages.findLast(({ info }) => info.role === 'user')?.info;
      if (asked?.role !== 'user') return;
      const { sessionID, model } = asked;
      const bounded = await bridge.fit({
        messages: messages.flatMap(splitMessage),
        model: model.modelID,
        conversation: sessionID,
        recall: recall ? RECALL_TOOL.name : undefined,
        outside: systems.get(sessionID),
      });
      sent.set(sessionID, { bounded, after: messages.at(-1)?.info.id ?? '' });
      // opencode sends this very array.
      messages.splice(0, messages.length, ...joinMessages(bounded.messages, messages));
    },
    async 'experimental.chat.system.transform'({ sessionID }, { system }) {
      if (sessionID !== undefined) systems.set(sessionID, [...system]);
    },
    async event({ event }) {
      if (event.type === 'session.deleted') systems.delete(event.properties.info.id);
      if (event.type !== 'message.updated') return;
      const { info } = event.properties;
      const request = sent.get(info.sessionID);
      if (!request || info.role !== 'assistant' || info.id <= request.after || !info.finish) return;
      sent.delete(info.sessionID);
      await request.bounded.answered(info.tokens, tokensOf(info));
    },
  };
  const { name, description, schema } = RECALL_TOOL;
  const tool = {
    description,
    args: schema.properties,
    execute: ({ handle }: { handle: string }) => bridge.recall(handle),
  };
  return async () => (recall ? { ...hooks, tool: { [name]: tool } } : hooks);
}

function tokensOf({ tokens }: AssistantMessage): SessionTokens {
  const { input, output, reasoning, cache } = tokens;
  return { input, output: output + reasoning, cacheRead: cache.read, cacheWrite: cache.write };
}
