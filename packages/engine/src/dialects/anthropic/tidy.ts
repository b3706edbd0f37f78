import type { Tidied, TidyPlace } from '../../dialect.ts';
import { isRecord } from '../../json/record.ts';
import { EMPTY_MESSAGE, REPLACED, UNRECORDED } from '../parts.ts';
import { endsBlank, isMessage, isMisplaced, isSetting, isUnsigned } from './rules.ts';
import { hasResult, type ServerCalls, unansweredServerCalls } from './server-calls.ts';
import { type AnthropicBlock, type AnthropicMessage, blocksOf, isBlank, isThinking } from './wire.ts';

type Message = AnthropicMessage;
type Done = Record<string, string>;

const EMPTY: AnthropicBlock = { type: 'text', text: EMPTY_MESSAGE };
const LEFT_OUT = 'Removed the block, which is empty.';

/** Repairs a message that breaks rules by itself or, with `place`, because of its neighbours. Pure. */
export function tidyAnthropic(
  message: Message,
  place: TidyPlace<Message> | undefined,
  signed: boolean,
): Tidied<Message> | undefined {
  const done: Done = {};
  const messages = place ? tidyPlace(message, place, done) : tidyBlocks(message, signed, done);
  return Object.keys(done).length > 0 ? { messages, done } : undefined;
}

function tidyBlocks(message: Message, signed: boolean, done: Done): Message[] {
  if ((message.content ?? null) === null) {
    done['bad-content'] = REPLACED;
    return [{ ...message, content: [EMPTY] }];
  }
  if (!isMessage(message) || message.content.length === 0) return [message];
  const isAssistant = message.role === 'assistant';
  const own = isAssistant ? blocksOf(message) : blocksOf(message).filter((block) => !isThinking(block));
  if (own.length < blocksOf(message).length) done['thinking-in-user'] = 'Removed the thinking.';
  const blocks = own.flatMap((block) => tidyBlock(block, signed, done));
  const thinks = isAssistant && blocks.some(isThinking);
  const said = blocks.filter(({ type, text }) => {
    if (type !== 'text' || !isBlank(text ?? '') || (thinks && text)) return true;
    done[text ? 'blank-text' : 'empty-text'] = LEFT_OUT;
    return false;
  });
  if (said.length === 0) return [{ ...message, content: [EMPTY] }];
  if (!isAssistant && message.role !== 'user') return [{ ...message, content: said }];
  const { results, calls, words } = parted(said);
  const content = isAssistant ? said.filter(({ type }) => type !== 'tool_result') : [...results, ...words];
  const other = isAssistant ? results : calls;
  if (other.length > 0) {
    done[isAssistant ? 'result-in-assistant' : 'call-in-user'] = 'Moved it into a message of the other role.';
    const moved = { role: isAssistant ? 'user' : 'assistant', content: other };
    return content.length > 0 ? [{ ...message, content }, moved] : [moved];
  }
  if (!isAssistant && content.some((block, at) => block !== said[at]))
    done['late-result'] = 'Moved results to the start of their message.';
  return [{ ...message, content }];
}

function parted(blocks: readonly AnthropicBlock[]): Record<'results' | 'calls' | 'words', AnthropicBlock[]> {
  const parts = { results: [], calls: [], words: [] } as Record<'results' | 'calls' | 'words', AnthropicBlock[]>;
  for (const block of blocks)
    parts[block.type === 'tool_result' ? 'results' : block.type === 'tool_use' ? 'calls' : 'words'].push(block);
  return parts;
}

function tidyBlock(block: AnthropicBlock, signed: boolean, done: Done): AnthropicBlock[] {
  const { type, content, input } = block;
  if (type === 'tool_use') {
    const id = tidyId(block.id, done);
    if (id === block.id && isRecord(input)) return [block];
    if (!isRecord(input)) done['bad-call-input'] = 'Converted the input to an object.';
    return [{ ...block, id, input: objectFrom(input) }];
  }
  if (type === 'tool_result') {
    const id = tidyId(block.tool_use_id, done);
    const list: readonly AnthropicBlock[] = Array.isArray(content) ? content : [];
    const parts = list.filter((part) => part?.text !== '');
    const isFull = parts.length === list.length;
    if (!isFull) done['empty-text'] = LEFT_OUT;
    if (isFull && id === block.tool_use_id) return [block];
    return [{ ...block, tool_use_id: id, ...(isFull ? {} : { content: parts.length > 0 ? parts : '' }) }];
  }
  if (!signed || !isUnsigned(block)) return [block];
  done['missing-signature'] = 'Converted the thinking to text.';
  return block.thinking ? [{ type: 'text', text: `[Thinking]\n${block.thinking}` }] : [];
}

/** Calls and results change in the same way, so that they still match. */
function tidyId(given: unknown, done: Done): string {
  const id = String(given).replace(/[^\w-]/g, '_') || '_';
  if (id !== given) done['bad-call-id'] = 'Replaced characters that an id must not contain.';
  return id;
}

function objectFrom(input: unknown): Record<string, unknown> {
  if (isRecord(input)) return input;
  try {
    const parsed: unknown = JSON.parse(String(input));
    if (isRecord(parsed)) return parsed;
  } catch {
    // Not JSON: keep it as it is.
  }
  return (input ?? null) === null ? {} : { input };
}

/** Server calls by list, because every message of a list is looked up. */
const looked = new WeakMap<readonly Message[], { readonly messages: readonly Message[]; served?: ServerCalls }>();

function tidyPlace(message: Message, { messages, index, before }: TidyPlace<Message>, done: Done): Message[] {
  const { role, content } = message;
  const isAssistant = role === 'assistant';
  if (!isMessage(message)) return [message];
  if (role === 'system' && before && isMisplaced(before, messages[index + 1])) {
    done['misplaced-system'] = 'Converted it to a user message.';
    return [{ role: 'user', content: [{ type: 'text', text: '[System message]' }, ...blocksOf(message)] }];
  }
  // If the result came too late, only the caller knows what was meant.
  const all = looked.get(messages) ?? { messages };
  looked.set(messages, all);
  const left = unansweredServerCalls(all, index).filter((at) => !hasResult(all, blocksOf(message)[at]?.id));
  let tidied: Message = message;
  if (left.length > 0) tidied = { ...message, content: sayCalls(blocksOf(message), left, done) };
  if (isAssistant && index === messages.length - 1) tidied = trimmed(tidied, done);
  else if (content.length === 0 && !isSetting(message)) {
    done['empty-message'] = REPLACED;
    tidied = { ...message, content: [EMPTY] };
  }
  if (!isAssistant || before || blocksOf(message).some(({ type }) => type === 'compaction')) return [tidied];
  done['first-assistant'] = 'Inserted a user message before it.';
  return [{ role: 'user', content: UNRECORDED }, tidied];
}

function trimmed(message: Message, done: Done): Message {
  if (!endsBlank(message)) return message;
  done['trailing-whitespace'] = 'Removed trailing whitespace.';
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: content.trimEnd() };
  const blocks = content.with(-1, {
    ...(content.at(-1) as AnthropicBlock),
    text: content.at(-1)?.text?.trimEnd() ?? '',
  });
  return { ...message, content: blocks.filter(({ text }) => text !== '') };
}

/** Calls of server tools that will never have a result, as text. */
function sayCalls(blocks: readonly AnthropicBlock[], left: readonly number[], done: Done): AnthropicBlock[] {
  done['unanswered-server-call'] = 'Converted the call to text.';
  const places = new Set(left);
  return blocks.map((block, at) => {
    const { type, ...call } = block;
    return places.has(at) ? { type: 'text', text: `[Call without result] ${JSON.stringify(call)}` } : block;
  });
}
