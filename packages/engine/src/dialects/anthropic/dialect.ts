import { isReplaceable } from '../../content/blocks.ts';
import { quotedBlocks, quotedResult } from '../../content/quoted-result.ts';
import { contentText, saidText } from '../../content/text.ts';
import type { Call, Dialect, Limits, Reading, Result, Thinking } from '../../dialect.ts';
import { isRecord } from '../../json/record.ts';
import { jsonChars } from '../../size/json-chars.ts';
import { claudeImageTokens, imageSize, type Media, pdfPages, pdfTokens } from '../../size/media.ts';
import { Weight } from '../../size/weight.ts';
import { countMarkers, withMarkers } from '../markers.ts';
import { changeKind, withWords } from '../parts.ts';
import { validateAnthropic } from './rules.ts';
import { tidyAnthropic } from './tidy.ts';
import { type AnthropicBlock, type AnthropicMessage, blocksOf, isBlank, isThinking, ROLE } from './wire.ts';

const OWN_BLOCK = /tool_(?:use|result)$|thinking$|^(?:image|document)$/;

/** Blocks that stand for more than they say: the API's own compaction, and changes of tools. */
const FIRM = /^(?:compaction|tool_addition|tool_removal)$/;

/** Fields that are counted separately. */
const MESSAGE: ReadonlySet<string> = new Set(['content']);
const CALL: ReadonlySet<string> = new Set(['name', 'input']);
const RESULT: ReadonlySet<string> = new Set(['content']);

/** As documented; models with a window of 200,000 tokens accept 100 images. */
const LIMITS: Limits = {
  bytes: 32_000_000,
  images: 600,
  image_bytes: 10 * 1024 * 1024,
  image_side: 8_000,
  many_images: 20,
  many_side: 2_000,
};

/**
 * The Anthropic Messages format. `thinking` says what happens to thinking after an edit before it: `bound` (default, right
 * for current models) removes it, `free` (older models) keeps it. `limits` overrides the limits of a request. `M` may be
 * the message type of any library that uses the format.
 */
export function anthropic<M = AnthropicMessage>(
  options: { readonly thinking?: Thinking; readonly limits?: Limits } = {},
): Dialect<M> {
  const { thinking = 'bound' } = options;
  // Other servers with this format do not sign thinking.
  const signed = thinking === 'bound';
  const limits = { ...LIMITS, ...options.limits };
  const dialect: Dialect<AnthropicMessage> = {
    name: 'anthropic',
    thinking,
    uniqueCallIds: true,
    resultsTogether: true,
    splitResponses: false,
    systemInside: 'after-user',
    limits,
    read: (message) => read(message, limits),
    text: (message) => contentText(blocksOf(message).filter(isWords)),
    said: (message) => saidText(message.content),
    // Results come first in their message, so those that were read are the first of their kind.
    maskResults: (message, texts) => ({
      ...message,
      content: changeKind(blocksOf(message), isResult, texts, (block, content) => ({ ...block, content })),
    }),
    maskCalls: (message, inputs) => ({
      ...message,
      content: changeKind(blocksOf(message), isCall, inputs, (block, input) => ({ ...block, input })),
    }),
    maskText: (message, text) => {
      const blocks = blocksOf(message);
      if (!isReplaceable(blocks.filter(isWords))) return message;
      return { ...message, content: withWords(blocks, isWords, { type: 'text', text }) };
    },
    append,
    withoutThinking,
    withMarkers,
    note: (role, text) => ({ role, content: text }),
    answer,
    quote,
    tidy: (message, place) => tidyAnthropic(message, place, signed),
    split,
    merge: (messages) => ({ ...messages[0], role: 'user', content: messages.flatMap(blocksOf) }),
    rename: (message, calls, results) => {
      const named = changeKind(blocksOf(message), isCall, calls, (block, id) => ({ ...block, id }));
      return {
        ...message,
        content: changeKind(named, isResult, results, (block, id) => ({ ...block, tool_use_id: id })),
      };
    },
    validate: (messages, request) => validateAnthropic(messages, request, signed),
    recognizes,
  };
  return dialect as unknown as Dialect<M>;
}

const isCall = ({ type }: AnthropicBlock): boolean => type === 'tool_use';
const isResult = ({ type }: AnthropicBlock): boolean => type === 'tool_result';
const isWords = (block: AnthropicBlock): boolean => !isThinking(block) && !isCall(block) && !isResult(block);

function read(message: AnthropicMessage, limits: Limits): Reading {
  const { role } = message;
  const weight = new Weight(limits, mediaOf);
  let words = false;
  let thinking = false;
  let firm = false;
  const calls: Call[] = [];
  const results: Result[] = [];
  for (const [at, block] of blocksOf(message).entries()) {
    if (!isRecord(block)) continue; // for the rules to refuse
    const { type, content } = block;
    if (type === 'tool_use') {
      calls.push({ id: String(block.id), name: String(block.name), input: block.input });
      weight.chars += String(block.name).length + jsonChars(block.input);
      weight.rest(block, CALL);
    } else if (type === 'tool_result') {
      const loads = loadsTools(content);
      firm ||= loads;
      // The API ignores a result that comes after anything else. One that loads tools has no text that could replace it.
      if (results.length === at)
        results.push({
          id: String(block.tool_use_id),
          content: loads ? undefined : content,
          error: block.is_error === true,
        });
      weight.addContent(content);
      weight.rest(block, RESULT);
    } else {
      if (isThinking(block)) thinking = true;
      else words = true;
      firm ||= FIRM.test(type) || (type === 'tool_search_tool_result' && loadsTools(content));
      weight.add(block);
    }
  }
  weight.rest(message, MESSAGE);
  const side = role === 'assistant' || role === 'system' ? role : 'user';
  return weight.reading({
    role: results.length > 0 ? 'tool' : side,
    calls,
    results,
    words,
    thinking,
    markers: countMarkers(message.content),
    joined: awaitsServer(message),
    firm,
  });
}

/** True if a result, of the client or of the server, makes deferred tools available: without it the model cannot call them. */
function loadsTools(content: unknown): boolean {
  const parts = isRecord(content) ? content.tool_references : content;
  return Array.isArray(parts) && parts.some((part) => isRecord(part) && part.type === 'tool_reference');
}

/** True if it calls a server tool whose result is in a later message, as after a pause. */
function awaitsServer(message: AnthropicMessage): boolean {
  if (message.role !== 'assistant' || typeof message.content === 'string') return false;
  const blocks = blocksOf(message).filter(isRecord);
  const calls = blocks.filter(({ type }) => type === 'server_tool_use' || type === 'mcp_tool_use');
  if (calls.length === 0) return false;
  const answered = new Set(blocks.map(({ tool_use_id: id }) => id));
  return calls.some(({ id }) => !answered.has(id));
}

/** Images and documents; a text document counts as text, one made of blocks by its blocks. */
function mediaOf({ type, source }: Readonly<Record<string, unknown>>): Media | string | undefined {
  if (!isRecord(source) || (type !== 'image' && type !== 'document')) return undefined;
  const { type: form, data, url } = source;
  if (type === 'image') return { tokens: claudeImageTokens(imageSize(data)), data: data ?? url, image: true };
  if (form === 'content') return undefined;
  if (form === 'text') return String(data);
  const pages = pdfPages(data);
  return { tokens: pdfTokens(data, pages), data: data ?? url, pages };
}

/** What a result's content may have next to a text. */
const TEXT_NEIGHBOR = /^(?:text|image|document)$/;

/**
 * After the user's words, or inside the last result of a message that has only results: text after results teaches Claude to
 * end its turn with an empty answer.
 */
function append(message: AnthropicMessage, text: string): AnthropicMessage | undefined {
  if (message.role !== 'user') return undefined;
  const blocks = blocksOf(message);
  const added = { type: 'text', text };
  const last = blocks.at(-1);
  if (!last || blocks.some(({ type }) => type !== 'tool_result')) return { ...message, content: [...blocks, added] };
  const { content = '' } = last;
  const before = typeof content !== 'string' ? content : isBlank(content) ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(before) || !before.every((part) => TEXT_NEIGHBOR.test(part?.type))) return undefined;
  return { ...message, content: [...blocks.slice(0, -1), { ...last, content: [...before, added] }] };
}

function answer(calls: readonly Call[], text: string, into?: AnthropicMessage): AnthropicMessage[] {
  const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: text, is_error: true }));
  const rest = blocksOf(into).filter((block) => !isBlankText(block));
  return [{ ...into, role: 'user', content: [...results, ...rest] }];
}

function quote(message: AnthropicMessage, parts: ReadonlySet<number>): AnthropicMessage[] {
  const kept: AnthropicBlock[] = [];
  const quoted: AnthropicBlock[] = [];
  for (const [at, block] of blocksOf(message).entries()) {
    if (!parts.has(at)) kept.push(block);
    else {
      const { content } = block;
      const id = block.tool_use_id;
      if (Array.isArray(content)) quoted.push(...quotedBlocks(id, content, 'text'));
      else quoted.push({ type: 'text', text: quotedResult(id, typeof content === 'string' ? content : '') });
    }
  }
  const rest = kept.filter((block) => !isResult(block));
  const content = [...kept.filter(isResult), ...quoted, ...rest].filter((block) => !isBlankText(block));
  return [{ ...message, content }];
}

function split(message: AnthropicMessage): AnthropicMessage[] {
  const results = blocksOf(message).filter(isResult);
  const rest = blocksOf(message).slice(results.length);
  const contents = [...results.map((block) => [block]), ...(rest.length > 0 ? [rest] : [])];
  return contents.map((content) => ({ ...message, content }));
}

function isBlankText({ type, text }: AnthropicBlock): boolean {
  return type === 'text' && isBlank(text ?? '');
}

function withoutThinking(message: AnthropicMessage): AnthropicMessage | undefined {
  // Some models put blank text before their thinking; without thinking it would be refused.
  const kept = blocksOf(message).filter((block) => !isThinking(block) && !isBlankText(block));
  return kept.length === 0 ? undefined : { ...message, content: kept };
}

function recognizes(message: unknown): boolean | undefined {
  if (!isRecord(message)) return false;
  const { role, content, tool_calls } = message;
  if (!ROLE.test(String(role)) || tool_calls !== undefined) return false;
  if (typeof content === 'string') return undefined;
  if (!Array.isArray(content)) return false;
  return content.some((block) => isRecord(block) && OWN_BLOCK.test(String(block.type))) || undefined;
}
