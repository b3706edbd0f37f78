import type Anthropic from '@anthropic-ai/sdk';
import type { ApiAnswer, ApiCall } from '../../loop/api.ts';
import type { CallIds } from '../../loop/received-call.ts';
import { createRepeatCheck, receivedCall } from '../../loop/received-call.ts';
import { brokenBy, NO_ROOM, noRoom, parsedInput, type Reader } from '../../loop/stream.ts';
import { awaitsServer, paused } from './pause.ts';

type Stop = ApiAnswer<unknown>['stop'];
type Message = Anthropic.MessageParam;

/** An answer of the Messages API as its events arrive. */
export type AnthropicReader = Reader<Anthropic.RawMessageStreamEvent, Message>;

const STOPS: Readonly<Record<string, Stop>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'calls',
  max_tokens: 'length',
  [NO_ROOM]: 'length',
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
  const parts: Arriving[] = [];
  /** The newest block at each place. */
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
      case 'content_block_start': {
        if (isRepeat(event.content_block, arriving.get(event.index))) return;
        const part = { block: { ...event.content_block }, json: '', done: false };
        arriving.set(event.index, part);
        parts.push(part);
        return;
      }
      case 'content_block_delta': {
        const part = arriving.get(event.index);
        if (part && !part.done) grow(part, event.delta, onText);
        return;
      }
      case 'content_block_stop': {
        const part = arriving.get(event.index);
        if (part) part.done = true;
        return;
      }
      case 'message_delta':
        reason = event.delta.stop_reason ?? reason;
        // Not every server reports usage.
        if (usage || event.usage) usage = { ...usage, ...known(event.usage ?? {}) };
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
      const { content, calls } = gather(parts, stop, callIds);
      if (!ended && calls.length === 0) throw brokenBy(cause);
      if (reason === NO_ROOM && content.length === 0) throw noRoom();
      const said: Message = { role: 'assistant', content };
      return {
        // Thinking alone cannot be sent back.
        messages: content.every(isThinking) ? [] : stop === 'pause' && calls.length === 0 ? paused(content) : [said],
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls,
        // Some servers end an answer with calls with `end_turn`.
        stop: stop === 'end' && calls.length > 0 ? 'calls' : stop,
      };
    },
  };
}

/** True if this block has already started at this index: starting it again would lose its content. */
function isRepeat(block: Anthropic.ContentBlock, begun: Arriving | undefined): boolean {
  if (begun?.block.type !== block.type) return false;
  return 'id' in block && 'id' in begun.block ? block.id === begun.block.id : !begun.done;
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

/** The complete blocks, in a form that can be sent back. */
function gather(
  parts: readonly Arriving[],
  stop: Stop,
  callIds: CallIds,
): { content: Anthropic.ContentBlockParam[]; calls: ApiCall[] } {
  const content: Anthropic.ContentBlockParam[] = [];
  const calls: ApiCall[] = [];
  // Calls are complete even if their input is not JSON.
  const finished = stop === 'calls' || stop === 'end';
  const isNew = createRepeatCheck();
  for (const { block, json, done } of parts) {
    // Not every server ends each block: the end of the answer ends them all.
    if (!done && stop === 'broken') continue;
    if (block.type === 'thinking' && !block.signature) continue;
    if (block.type === 'text') {
      if (block.text.trim() !== '') content.push({ ...block, text: block.text.toWellFormed() });
    } else if (block.type === 'tool_use') {
      const given = json === '' ? (block.input ?? {}) : json;
      // A call that was cut off before its arguments would run without any.
      const isCut = json === '' ? block === parts.at(-1)?.block : parsedInput(json) === undefined;
      if ((isCut && !finished) || !isNew(block.id, block.name, given)) continue;
      const call = receivedCall(callIds, block.id, block.name, given);
      content.push({ ...block, id: call.id, name: call.name, input: call.input });
      calls.push(call);
    } else if ('input' in block) {
      content.push({ ...block, ...(json === '' ? {} : { input: parsedInput(json) ?? {} }) });
    } else content.push(block as Anthropic.ContentBlockParam);
  }
  // Calls of the server's own tools are answered only if the turn continues.
  const goesOn = stop === 'pause' || calls.length > 0;
  return { content: goesOn ? content : content.filter((block) => !awaitsServer(block, content)), calls };
}

function isThinking({ type }: Anthropic.ContentBlockParam): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** The figures that are set: the last event repeats some as null. */
function known(usage: object): object {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
}
