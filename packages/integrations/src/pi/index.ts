import type { SessionTokens } from '@holdfast/sessions';
import { type Bounded, createBridge } from '../bridge/bridge.ts';
import type { HoldfastOptions } from '../bridge/options.ts';
import { type Piece, pieceForm } from '../bridge/piece.ts';
import { RECALL_TOOL } from '../bridge/recall-tool.ts';
import { type PiMessage, toMessages, toPieces } from './messages.ts';

export type { HoldfastEvent, HoldfastOptions } from '../bridge/options.ts';
export type { PiMessage } from './messages.ts';

/** The options of all frameworks, and whether the agent gets a recall tool. */
export interface PiOptions extends HoldfastOptions {
  /** Adds the tool `recall`, with which the model reads folded messages again. Default false: then notes name no handles. */
  readonly recall?: boolean;
}

/** What the extension needs of pi's `ExtensionAPI`. */
export interface PiApi {
  on(event: 'context', handler: (event: { messages: PiMessage[] }, context: PiContext) => Promise<PiView>): void;
  on(event: 'message_end', handler: (event: { message: PiMessage }, context: PiContext) => Promise<void>): void;
  registerTool(tool: PiTool): void;
  getActiveTools(): string[];
  getAllTools(): { readonly name: string }[];
}

/** What the extension needs of pi's `ExtensionContext`. */
export interface PiContext {
  readonly model: { readonly id: string } | undefined;
  readonly sessionManager: { getSessionId(): string };
  getSystemPrompt(): string;
}

/** What pi sends instead of its messages. */
export interface PiView {
  messages: PiMessage[];
}

/** A tool in the form of pi. */
export interface PiTool {
  name: string;
  label: string;
  description: string;
  parameters: typeof RECALL_TOOL.schema;
  execute(
    id: string,
    input: { readonly handle: string },
  ): Promise<{ content: { type: 'text'; text: string }[]; details: undefined }>;
}

/**
 * An extension that keeps the conversations of pi bounded: the model gets a view instead of the session's messages. Sessions
 * stay complete. A conversation is named by its session. Export the result as the default of a file in `extensions`.
 */
export function holdfast({ recall = false, ...options }: PiOptions): (pi: PiApi) => void {
  const bridge = createBridge('pi', options, pieceForm<PiMessage>());
  const { name, description, schema: parameters } = RECALL_TOOL;
  const sent = new Map<string, Bounded<Piece<PiMessage>>>();
  return (pi) => {
    pi.on('context', async ({ messages }, context) => {
      const active = pi.getActiveTools();
      const session = context.sessionManager.getSessionId();
      const bounded = await bridge.fit({
        messages: messages.flatMap(toPieces),
        model: context.model?.id ?? 'unknown',
        conversation: session,
        recall: recall && active.includes(name) ? name : undefined,
        outside: [context.getSystemPrompt(), pi.getAllTools().filter((tool) => active.includes(tool.name))],
      });
      sent.set(session, bounded);
      return { messages: toMessages(bounded.messages, messages) };
    });
    pi.on('message_end', async ({ message }, { sessionManager }) => {
      const { role, usage } = message as PiMessage & { readonly usage?: SessionTokens };
      const session = sessionManager.getSessionId();
      if (role !== 'assistant' || !usage) return;
      const bounded = sent.get(session);
      sent.delete(session);
      const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
      if (input + cacheRead + cacheWrite > 0) await bounded?.answered(usage, { input, output, cacheRead, cacheWrite });
    });
    if (!recall) return;
    pi.registerTool({
      name,
      label: 'Recall',
      description,
      parameters,
      execute: async (_, { handle }) => ({
        content: [{ type: 'text', text: await bridge.recall(handle) }],
        details: undefined,
      }),
    });
  };
}
