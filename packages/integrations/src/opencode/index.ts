import type { Event } from '@opencode-ai/sdk';
import { type Bounded, createBridge } from '../bridge/bridge.ts';
import type { RecallOptions } from '../bridge/options.ts';
import { RECALL_TOOL } from '../bridge/recall-tool.ts';
import { fromWire, recalledResult, type StoredMessage, toWire } from './messages.ts';

export type { HoldfastEvent, RecallOptions } from '../bridge/options.ts';
export type { StoredMessage } from './messages.ts';

/**
 * A plugin that keeps the conversations of opencode bounded: the model gets a view instead of the session's messages. Sessions
 * stay complete. A conversation is named by its session. Export the result from a file in `.opencode/plugins`.
 */
export function holdfast({ recall = false, ...options }: RecallOptions = {}) {
  const bridge = createBridge<StoredMessage>('opencode', options, { toWire, fromWire });
  const { name, description, schema } = RECALL_TOOL;
  const systems = new Map<string, readonly string[]>();
  /** Requests whose answers opencode has not reported yet. Ids of messages ascend. */
  const sent = new Map<string, { view: Bounded<StoredMessage>; after: string }>();
  const hooks = {
    async 'experimental.chat.messages.transform'(_: unknown, { messages }: { readonly messages: StoredMessage[] }) {
      const asked = messages.findLast(({ info }) => info.role === 'user')?.info;
      if (asked?.role !== 'user') return;
      const { sessionID, model } = asked;
      const view = await bridge.fit({
        messages,
        model: model.modelID,
        conversation: sessionID,
        recall: recall ? name : undefined,
        outside: systems.get(sessionID),
        once: true,
      });
      sent.set(sessionID, { view, after: messages.at(-1)?.info.id ?? '' });
      // opencode sends this very array.
      messages.splice(0, messages.length, ...view.messages);
    },
    async 'experimental.chat.system.transform'(input: { sessionID?: string }, { system }: { system: string[] }) {
      if (input.sessionID !== undefined) systems.set(input.sessionID, [...system]);
    },
    async event({ event }: { readonly event: Event }) {
      if (event.type === 'session.deleted') systems.delete(event.properties.info.id);
      if (event.type !== 'message.updated') return;
      const { info } = event.properties;
      const { view, after = '' } = sent.get(info.sessionID) ?? {};
      if (!view || info.role !== 'assistant' || info.id <= after || !(info.finish || info.error)) return;
      sent.delete(info.sessionID);
      await view.answered(info.tokens);
      // opencode reports the error; the session continues with the user's next message.
      if (info.error) await view.withoutThinking(info.error);
    },
  };
  const execute = async (input: unknown) => recalledResult(await bridge.recall(input));
  const tool = { [name]: { description, args: schema.properties, execute } };
  return async () => ({ ...hooks, ...(recall ? { tool } : {}) });
}
