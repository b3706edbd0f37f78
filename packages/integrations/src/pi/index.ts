import { type Bounded, createBridge } from '../bridge/bridge.ts';
import type { RecallOptions } from '../bridge/options.ts';
import type { Fields } from '../bridge/parts.ts';
import { RECALL_TOOL } from '../bridge/recall-tool.ts';
import { fromPart, fromWire, type PiMessage, toWire } from './messages.ts';

export type { HoldfastEvent, RecallOptions } from '../bridge/options.ts';
export type { PiMessage } from './messages.ts';

/** What the extension needs of pi's `ExtensionAPI`. */
export interface PiApi {
  on(event: 'context', handler: (event: PiView, context: PiContext) => Promise<PiView>): void;
  on(event: 'message_end', handler: (event: { message: PiMessage }, context: PiContext) => Promise<void>): void;
  registerTool(tool: PiTool): void;
  getActiveTools(): string[];
  getAllTools(): { readonly name: string }[];
}

/** What pi sends. */
export interface PiView {
  messages: PiMessage[];
}

/** What the extension needs of pi's `ExtensionContext`. */
export interface PiContext {
  readonly model: { readonly id: string } | undefined;
  readonly sessionManager: { getSessionId(): string };
  getSystemPrompt(): string;
}

/** A tool in the form of pi. */
export interface PiTool {
  name: string;
  label: string;
  description: string;
  parameters: unknown;
  execute(id: string, input: unknown): Promise<{ content: Fields[]; details: undefined }>;
}

/**
 * An extension that keeps the conversations of pi bounded: the model gets a view instead of the session's messages. Sessions
 * stay complete. A conversation is named by its session. Export the result as the default of a file in `extensions`.
 */
export function holdfast({ recall = false, ...options }: RecallOptions = {}): (pi: PiApi) => void {
  const bridge = createBridge<PiMessage>('pi', options, { toWire, fromWire });
  const { name, description, schema: parameters } = RECALL_TOOL;
  const sent = new Map<string, Bounded<PiMessage>>();
  return (pi) => {
    pi.on('context', async ({ messages }, context) => {
      const active = pi.getActiveTools();
      const session = context.sessionManager.getSessionId();
      const view = await bridge.fit({
        messages,
        model: context.model?.id ?? 'unknown',
        conversation: session,
        recall: recall && active.includes(name) ? name : undefined,
        outside: [context.getSystemPrompt(), pi.getAllTools().filter((tool) => active.includes(tool.name))],
        once: true,
      });
      sent.set(session, view);
      return { messages: view.messages };
    });
    pi.on('message_end', async ({ message }, { sessionManager }) => {
      const session = sessionManager.getSessionId();
      if (message.role !== 'assistant') return;
      const view = sent.get(session);
      sent.delete(session);
      await view?.answered(message.usage);
      // pi reports the error; the session continues with the user's next message.
      if (message.stopReason === 'error') await view?.withoutThinking(message);
    });
    if (!recall) return;
    const execute = async (_: string, input: unknown) => {
      return { content: (await bridge.recall(input)).map(fromPart), details: undefined };
    };
    pi.registerTool({ name, label: 'Recall', description, parameters, execute });
  };
}
