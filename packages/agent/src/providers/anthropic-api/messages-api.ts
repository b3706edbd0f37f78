import type Anthropic from '@anthropic-ai/sdk';
import { type FoundModel, lookbackOf } from '@holdfast/models';
import type { CallResult } from '@holdfast/sessions';
import { anthropic } from 'holdfast';
import { type AnthropicMessage, missingThinking } from 'holdfast/rules';
import type { Api, ApiRequest, ShortAnswer } from '../../loop/api.ts';
import type { ResolvedOptions } from '../../loop/api-options.ts';
import { createCallIds } from '../../loop/received-call.ts';
import { type Open, readAnswer } from '../../loop/stream.ts';
import { createAnthropicReader } from './answer.ts';
import { withEventNames } from './event-names.ts';
import { MARKER, withMarkers } from './markers.ts';
import { closedAnswer } from './pause.ts';
import { withoutTools } from './without-tools.ts';

type Message = Anthropic.MessageParam;

/** The API's minimum thinking budget. */
const LEAST_THINKING = 1_024;
/** Call ids that the API accepts. */
const CALL_ID = /^[a-zA-Z0-9_-]+$/;

/** The Messages API with this model, these tools and this system prompt. */
export function messagesApi(
  client: Anthropic,
  options: ResolvedOptions,
  info: FoundModel,
  max_output: number,
): Api<Message> {
  const { model } = options;
  const fixed = fixedParts(options);
  const thinking = thinkingOf(options, info, max_output);
  const body = (outgoing: ApiRequest<Message>) => ({
    model,
    ...fixed,
    ...(thinking && mayThink(thinking, outgoing) ? { thinking } : {}),
    messages: withMarkers(outgoing, lookbackOf(info)),
  });
  const stream = async (
    sent: Anthropic.MessageCreateParamsNonStreaming,
    onText: (text: string) => void,
    signal: AbortSignal,
  ) => {
    const reader = createAnthropicReader(onText, createCallIds(sent.messages.flatMap(callsIn), CALL_ID));
    // Not `messages.create`, which logs a console warning for some models at each request.
    const open: Open<Anthropic.RawMessageStreamEvent> = (own, fetch) =>
      client.withOptions({ fetch: withEventNames(fetch) }).post('/v1/messages', {
        body: { ...sent, stream: true },
        signal: own,
        stream: true,
      });
    return readAnswer(open, reader, options, signal);
  };
  const hasTools = (options.tools ?? []).length > 0;
  const spoken = hasTools ? (message: Message) => message : withoutTools;
  return {
    dialect: anthropic<Message>({ thinking: info.thinking === 'bound' ? 'bound' : 'free' }),
    prompt: (text) => ({ role: 'user', content: text }),
    ...(options.thinking && !thinking && info.thinking !== 'none' ? { doubts: [tooShort(max_output)] } : {}),
    restored: spoken,
    closed: closedAnswer,
    results: (results) => [spoken(resultsOf(results))],
    async send(outgoing, onText, signal) {
      const answer = await stream({ ...body(outgoing), max_tokens: max_output }, onText, signal);
      if (hasTools || answer.calls.length === 0) return answer;
      // There are no tools to call, and the API would reject results.
      return { ...answer, messages: answer.messages.map(spoken), calls: [] };
    },
    async count(outgoing, signal) {
      return (await client.messages.countTokens(body(outgoing), { signal })).input_tokens;
    },
    async say(prompt, other, max_tokens, signal): Promise<ShortAnswer> {
      const messages: Message[] = [{ role: 'user', content: prompt }];
      return await stream({ model: other, max_tokens, messages }, () => {}, signal);
    },
  };
}

function resultsOf(results: readonly CallResult[]): Message {
  const content = results.map(
    ({ id, text, failed }): Anthropic.ToolResultBlockParam => ({
      type: 'tool_result',
      tool_use_id: id,
      content: text,
      ...(failed ? { is_error: true } : {}),
    }),
  );
  return { role: 'user', content };
}

function callsIn({ content }: Message): string[] {
  return typeof content === 'string' ? [] : content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

/** Tools and system prompt of every request, with a cache marker at the end. */
function fixedParts({ system, tools = [] }: ResolvedOptions): Pick<Anthropic.MessageCreateParams, 'system' | 'tools'> {
  const defined = tools.map(
    ({ name, description, input_schema }, at): Anthropic.Tool => ({
      name,
      description,
      input_schema: input_schema as Anthropic.Tool.InputSchema,
      ...(!system && at === tools.length - 1 ? { cache_control: MARKER } : {}),
    }),
  );
  return {
    ...(defined.length === 0 ? {} : { tools: defined }),
    ...(system ? { system: [{ type: 'text', text: system, cache_control: MARKER }] } : {}),
  };
}

/** The thinking parameter, if any. */
function thinkingOf(
  { thinking }: ResolvedOptions,
  info: FoundModel,
  max_output: number,
): Anthropic.ThinkingConfigParam | undefined {
  if (!thinking || info.thinking === 'none') return undefined;
  if (info.adaptive_thinking) return { type: 'adaptive' };
  const budget_tokens = Math.max(LEAST_THINKING, Math.floor(max_output / 2));
  return budget_tokens < max_output ? { type: 'enabled', budget_tokens } : undefined;
}

function tooShort(max_output: number): string {
  return `thinking is off: it needs at least ${LEAST_THINKING} output tokens, but max_output is ${max_output}. Raise max_output`;
}

/** False in a run of tool calls that started without thinking, or whose first was folded, until the next user message. */
function mayThink({ type }: Anthropic.ThinkingConfigParam, { messages }: ApiRequest<Message>): boolean {
  return type !== 'enabled' || missingThinking(messages as unknown as readonly AnthropicMessage[]) < 0;
}
