import { BasePlugin, type Context, FunctionTool, type LlmRequest, StreamingMode } from '@google/adk';
import type { WireMessage } from '@holdfast/sessions';
import { gemini } from 'holdfast';
import { type Bounded, createBridge } from '../bridge/bridge.ts';
import type { RecallOptions } from '../bridge/options.ts';
import type { Fields } from '../bridge/parts.ts';
import { RECALL_TOOL } from '../bridge/recall-tool.ts';

export type { HoldfastEvent, RecallOptions } from '../bridge/options.ts';

type Content = LlmRequest['contents'][number];
type Part = NonNullable<Content['parts']>[number];
type Before = Parameters<BasePlugin['beforeModelCallback']>[0];
type After = Parameters<BasePlugin['afterModelCallback']>[0];
type Failed = Parameters<BasePlugin['onModelErrorCallback']>[0];

const SHOWN: Part = { text: 'Pictures that the tool has recalled. The user did not say this.' };

/**
 * A plugin that keeps the conversations of a runner's agents bounded: each request sends a view instead of its contents. The
 * session stays complete. A conversation is named by its session.
 */
export function holdfast({ recall = false, ...options }: RecallOptions = {}): BasePlugin {
  const bridge = createBridge<Content>('google-adk', options, {
    dialect: gemini(),
    toWire: (content) => content as unknown as WireMessage,
    fromWire: ([message]) => message as unknown as Content,
  });
  const { name, description, schema } = RECALL_TOOL;
  const recallTool = new FunctionTool({
    name,
    description,
    parameters: { ...schema, additionalProperties: undefined } as never,
    async execute(input: unknown, context?: Context) {
      const [said, ...pictures] = await bridge.recall(input);
      const invocation = context?.invocationContext;
      if (invocation) shown.set(invocation, [...(shown.get(invocation) ?? []), ...pictures.map(toInline)]);
      const lines = pictures.map(({ mediaType }) => `[A picture, ${mediaType}: it is shown once, after this result.]`);
      return [said?.text, ...lines].join('\n');
    },
  });
  /** Pictures that were recalled since the last request. Tools return none, so the next request shows them, and no other. */
  const shown = new WeakMap<object, Part[]>();
  /** What was sent for each invocation, until its answer comes. */
  const sent = new WeakMap<object, Bounded<Content>>();

  return new (class extends BasePlugin {
    override async beforeModelCallback({ callbackContext, llmRequest }: Before) {
      if (recall) await recallTool.processLlmRequest({ toolContext: callbackContext, llmRequest });
      const { invocationContext: invocation } = callbackContext;
      const { contents, model = 'unknown', config } = llmRequest;
      const pictures = shown.get(invocation) ?? [];
      shown.delete(invocation);
      const view = await bridge.fit({
        messages: pictures.length === 0 ? contents : [...contents, { role: 'user', parts: [SHOWN, ...pictures] }],
        model,
        conversation: invocation.session.id,
        recall: recall ? name : undefined,
        outside: [config?.systemInstruction, config?.tools],
        once: true,
      });
      llmRequest.contents = view.messages;
      sent.set(invocation, view);
      return undefined;
    }

    override async afterModelCallback({ callbackContext, llmResponse }: After) {
      const { invocationContext: invocation } = callbackContext;
      const { usageMetadata: usage, partial, finishReason } = llmResponse;
      // A streamed answer comes in pieces that are not all partial; the last one has a reason, and all of the usage.
      const isStreamed = invocation.runConfig?.streamingMode === StreamingMode.SSE;
      if (partial || (isStreamed && !finishReason)) return undefined;
      await sent.get(invocation)?.answered(usage);
      sent.delete(invocation);
      return undefined;
    }

    override async onModelErrorCallback({ callbackContext, error }: Failed) {
      // An answer from here would not become an event: the session continues with the user's next message.
      await sent.get(callbackContext.invocationContext)?.withoutThinking(error);
      return undefined;
    }
  })('holdfast');
}

function toInline({ mediaType, data }: Fields): Part {
  return { inlineData: { mimeType: String(mediaType), data: String(data) } };
}
