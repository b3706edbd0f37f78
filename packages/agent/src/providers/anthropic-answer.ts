import type Anthropic from '@anthropic-ai/sdk';
import type { ApiAnswer, ApiCall } from './api.ts';
import type { CallIds } from './call-ids.ts';
import { brokenBy, parsedInput, type Reader } from './stream.ts';

type Stop = ApiAnswer<unknown>['stop'];
type Message = Anthropic.MessageParam;

/** An answer of the Messages API as its events arrive. */
export type AnthropicReader = Reader<Anthropic.RawMessageStreamEvent, Message>;

const STOPS: Readonly<Record<string, Stop>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
  pause_turn: 'pause',
};

interface Arriving {
  readonly block: Anthropic.ContentBlock;
  json: string;
  done: boolean;
}

/** A reader for one answer. */
export function createAnthropicReader(onText: (text: string) => void, callIds: CallIds): AnthropicReader {
  const arriving = new Map<number, Arriving>();
  let usage: object | undefined;
  let model: string | undefined;
  let reason = '';
  let ended = false;

  const take = (event: Anthropic.RawMessageStreamEvent): void => {
    switch (event.type) {
      case 'message_start':
        ({ usage, model } = event.message);
        return;
      case 'content_block_start':
        arriving.set(event.index, { block: { ...event.content_block }, json: '', done: false });
        return;
      case 'content_block_delta': {
        const part = arriving.get(event.index);
        if (part) grow(part, event.delta, onText);
        return;
      }
      case 'content_block_stop': {
        const part = arriving.get(event.index);
        if (part) part.done = true;
        return;
      }
      case 'message_delta':
        reason = event.delta.stop_reason ?? reason;
        usage = { ...usage, ...known(event.usage) };
        return;
      case 'message_stop':
        ended = true;
    }
  };

  return {
    take,
    report: () => (usage ? { usage, ...(model === undefined ? {} : { model }) } : undefined),
    answer(cause) {
      const stop = ended ? (STOPS[reason] ?? 'end') : 'broken';
      const { content, calls } = gather([...arriving.values()], stop === 'calls', callIds);
      if (!ended && calls.length === 0) throw brokenBy(cause);
      return {
        // Thinking alone is no message.
        messages: content.every(isThinking) ? [] : [{ role: 'assistant', content }],
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls,
        stop,
      };
    },
  };
}

function grow(part: Arriving, delta: Anthropic.RawContentBlockDelta, onText: (text: string) => void): void {
  const { block } = part;
  if (delta.type === 'text_delta' && block.type === 'text') {
    block.text += delta.text;
    onText(delta.text);
  } else if (delta.type === 'input_json_delta') part.json += delta.partial_json;
  else if (delta.type === 'thinking_delta' && block.type === 'thinking') block.thinking += delta.thinking;
  else if (delta.type === 'signature_delta' && block.type === 'thinking') block.signature = delta.signature;
}

/** The blocks that are whole, as they may be sent back. `finished`: calls are whole even if their input is no JSON. */
function gather(
  parts: readonly Arriving[],
  finished: boolean,
  callIds: CallIds,
): { content: Anthropic.ContentBlockParam[]; calls: ApiCall[] } {
  const content: Anthropic.ContentBlockParam[] = [];
  const calls: ApiCall[] = [];
  for (const { block, json, done } of parts) {
    if (!done || (block.type === 'text' && block.text.trim() === '')) continue;
    if (block.type === 'thinking' && !block.signature) continue;
    if (block.type !== 'tool_use') {
      content.push(block as Anthropic.ContentBlockParam);
      continue;
    }
    const input = json === '' ? (block.input ?? {}) : parsedInput(json);
    // Cut off before its arguments, a call would run with none.
    const isCut = !finished && (input === undefined || (json === '' && block === parts.at(-1)?.block));
    if (isCut) continue;
    const id = callIds(block.id);
    content.push({ ...block, id, input: input ?? {} } as Anthropic.ToolUseBlockParam);
    calls.push({
      id,
      name: block.name,
      input: input ?? {},
      ...(input === undefined ? { broken: true } : {}),
    });
  }
  return { content, calls };
}

function isThinking({ type }: Anthropic.ContentBlockParam): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Figures that are told: the last event repeats some as null. */
function known(usage: object): object {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
}
