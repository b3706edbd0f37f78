import { isReplaceable } from '../../content/blocks.ts';
import { quotedBlocks, quotedResult } from '../../content/quoted-result.ts';
import { appendText, contentText, saidText } from '../../content/text.ts';
import type { Call, Dialect, Limits, Reading, Result, Tidied } from '../../dialect.ts';
import { isRecord } from '../../json/record.ts';
import { audioTokens, cipherTokens, imageSize, type Media, openaiImageTokens, pdfTokens } from '../../size/media.ts';
import { Weight } from '../../size/weight.ts';
import { countMarkers, withMarkers } from '../markers.ts';
import { OPENAI_LIMITS, shortId } from '../openai-chat/dialect.ts';
import { checkItems, ID_LENGTH, idPrefix, validateOpenaiResponses } from './rules.ts';
import { halfOf, isFirm, isMessage, loadsTools, type OpenaiResponsesItem, pairId, roleOf, UNSEEN } from './wire.ts';

type Item = OpenaiResponsesItem;

/** A call with its item's type, because each type has its own shape of output. */
interface ItemCall extends Call {
  readonly type: string;
}

/** Shared by all items that are neither call nor output. */
const NONE: readonly never[] = [];

/** Items whose other half is also from the model, so that pairing does not keep them together. */
const JOINED = /^(?:reasoning|program|mcp_approval_request)$/;
const OWN_TYPE =
  /_(?:call|call_output|search_output)$|^(?:reasoning|item_reference|compaction|mcp_|program|additional_tools|configuration_update)/;
const OWN_PART = /^(?:input_(?:text|image|file)|output_text)$/;
/** Parts that Chat Completions has, too. */
const SHARED_PART = /^(?:input_audio|refusal)$/;
const FREE_OUTPUT = /^(?:function|custom_tool)_call_output$/;
/** In place of a screenshot that was never taken. */
const BLANK = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** The items of OpenAI's Responses API, as in `input`. `limits` overrides the limits of a request. */
export function openaiResponses<M = Item>(options: { readonly limits?: Limits } = {}): Dialect<M> {
  const limits = { ...OPENAI_LIMITS, ...options.limits };
  const dialect: Dialect<Item> = {
    name: 'openai-responses',
    thinking: 'free',
    uniqueCallIds: false,
    resultsTogether: false,
    splitResponses: true,
    systemInside: 'anywhere',
    limits,
    read: (item) => read(item, limits),
    text: (item) => (isMessage(item) ? contentText(item.content) : ''),
    said: (item) => (isMessage(item) ? saidText(item.content) : ''),
    maskResults: (item, texts) => {
      const text = texts.get(0);
      return text === undefined ? item : { ...item, output: maskedOutput(item, text) };
    },
    maskCalls: (item, inputs) => {
      const input = inputs.get(0);
      if (input === undefined || item.caller?.type === 'program') return item;
      if (typeof item.arguments === 'string') return { ...item, arguments: String(input) };
      return typeof item.input === 'string' ? { ...item, input: String(input) } : item;
    },
    maskText: (item, text) =>
      isReplaceable(item.content ?? '') ? { ...item, content: maskedContent(item, text) } : item,
    append,
    withoutThinking: (item) => (item.type === 'reasoning' ? undefined : item),
    withMarkers: (item, keep) => withMarkers(item, keep, Array.isArray(item.output) ? 'output' : 'content'),
    note: (role, text) => ({ role, content: text }),
    answer: (calls, text) => calls.map((call) => failedOutput(call as ItemCall, text)),
    quote: (item, parts) => (parts.has(0) ? [{ role: 'user', content: quotedContent(item) }] : [item]),
    rename: (item, calls, results) => {
      const id = calls.get(0) ?? results.get(0);
      return id === undefined ? item : { ...item, ...(item.call_id === undefined ? { id } : { call_id: id }) };
    },
    tidy: (item, place) => (place === undefined ? tidyIds(item) : undefined),
    validate: validateOpenaiResponses,
    recognizes,
  };
  return dialect as unknown as Dialect<M>;
}

/** Drops an item's own id unless others may refer to it; shortens a call's id, which another item has, too. */
function tidyIds(item: Item): Tidied<Item> | undefined {
  let tidied = item;
  const done: Record<string, string> = {};
  checkItems([item], (_, rule, about) => {
    if (about === 'call_id' && rule === 'long-id') {
      tidied = { ...tidied, call_id: shortId(String(item.call_id), ID_LENGTH) };
      done[rule] = 'Shortened the id in the call and its result.';
    } else if (idPrefix(item) && /-id$/.test(rule)) {
      const { id: _, ...rest } = tidied;
      tidied = rest;
      done[rule] = 'Removed the id.';
    }
  });
  return tidied === item ? undefined : { messages: [tidied], done };
}

function read(item: Item, limits: Limits): Reading {
  const { type, content, caller } = item;
  const half = halfOf(item);
  const calls = half === 'call' ? [readCall(item)] : NONE;
  const results = half === 'output' ? [readResult(item)] : NONE;
  const weight = weigh(item, calls[0] ?? results[0], limits);
  return weight.reading({
    role: roleOf(item),
    calls,
    results,
    words: isMessage(item) && Boolean(content?.length),
    thinking: type === 'reasoning',
    markers: countMarkers(content) + countMarkers(item.output),
    joined: JOINED.test(type ?? '') || caller?.type === 'program',
    firm: isFirm(item) || loadsTools(item),
  });
}

function readCall(item: Item): ItemCall {
  const { type = '', name, action, operation } = item;
  const input = item.arguments ?? item.input ?? action ?? operation ?? { actions: item.actions };
  return { id: String(pairId(item)), name: String(name ?? type?.slice(0, -5)), input, type: type ?? '' };
}

/** A screenshot or a list of tools has no content that text could replace, so it cannot be masked. */
function readResult(item: Item): Result {
  const { type, output, status } = item;
  const content =
    type === 'shell_call_output' && isShellOutput(output) ? shellText(output) : isRecord(output) ? undefined : output;
  return { id: String(pairId(item)), content, error: status === 'failed' };
}

function isShellOutput(output: unknown): output is readonly Record<string, unknown>[] {
  return Array.isArray(output) && output.every((run) => isRecord(run) && 'stdout' in run);
}

function shellText(runs: readonly Record<string, unknown>[]): string {
  return runs
    .map(({ stdout, stderr, outcome }) => {
      const code = isRecord(outcome) ? outcome.exit_code : undefined;
      return `${stdout ?? ''}\n${stderr ?? ''}\n${code === undefined ? '[timeout]' : `[exit code: ${code}]`}`;
    })
    .join('\n');
}

/** Fields that are counted separately, or not at all. */
const OF_CALL: ReadonlySet<string> = new Set([
  ...['name', 'arguments', 'input', 'action', 'operation', 'actions'],
  UNSEEN,
]);
const OF_RESULT: ReadonlySet<string> = new Set(['output', 'tools', UNSEEN]);
const OF_MESSAGE: ReadonlySet<string> = new Set(['content', 'summary', 'encrypted_content', UNSEEN]);

/** `half` is the item's call or result, if it is one. */
function weigh(item: Item, half: Call | Result | undefined, limits: Limits): Weight {
  const { type, encrypted_content: sealed } = item;
  const weight = new Weight(limits, mediaOf);
  const add = (parts: unknown): void => {
    for (const part of Array.isArray(parts) ? parts : [parts ?? '']) weight.add(part);
  };
  if (half && 'input' in half) {
    weight.chars += 20;
    weight.addCall(half.name, half.input);
    weight.rest(item, OF_CALL);
  } else if (half) {
    add(half.content ?? item.output ?? item.tools);
    weight.rest(item, OF_RESULT);
  } else if (isMessage(item) || type === 'reasoning') {
    add(item.content);
    add(item.summary);
    weight.media += cipherTokens(sealed);
    weight.rest(item, OF_MESSAGE);
  } else add(item);
  return weight;
}

/** What is not sent as text; encrypted content is all that its item or part contains. */
function mediaOf(part: Readonly<Record<string, unknown>>): Media | undefined {
  const { type, image_url: url, input_audio: audio, result, file_data: file, encrypted_content: sealed } = part;
  if (type === 'input_image' || type === 'computer_screenshot' || (type === 'image_generation_call' && result)) {
    const data = url ?? result;
    return { tokens: openaiImageTokens(imageSize(data), part.detail), data, image: true };
  }
  if (type === 'input_file') return { tokens: pdfTokens(file), data: file };
  if (isRecord(audio)) return { tokens: audioTokens(audio.data), data: audio.data };
  return sealed ? { tokens: cipherTokens(sealed), data: sealed } : undefined;
}

/** A local shell's output is JSON text; a shell's is a list, one entry for each command. */
function maskedOutput({ type, output }: Item, text: string): unknown {
  if (type === 'local_shell_call_output') return JSON.stringify(text);
  if (type !== 'shell_call_output') return text;
  return (output as readonly object[]).map((run, at) => ({ ...run, stdout: at === 0 ? text : '', stderr: '' }));
}

/** Only messages and the outputs of functions and custom tools have free text at their end. */
function append(item: Item, text: string): Item | undefined {
  const place = isMessage(item) && roleOf(item) === 'user' ? 'content' : FREE_OUTPUT.test(item.type ?? '') && 'output';
  if (!place) return undefined;
  const { [place]: before } = item;
  if (Array.isArray(before)) return { ...item, [place]: [...before, { type: 'input_text', text }] };
  return typeof before === 'string' ? { ...item, [place]: appendText(before, text) } : undefined;
}

function maskedContent({ content, role }: Item, text: string): string | readonly unknown[] {
  if (!Array.isArray(content)) return text;
  return [role === 'assistant' ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text }];
}

function failedOutput({ id, type = 'function_call' }: ItemCall, text: string): Item {
  const answer = { type: `${type}_output`, call_id: id };
  if (type === 'local_shell_call') return { type: answer.type, id, output: JSON.stringify(text) };
  if (type === 'shell_call')
    return { ...answer, output: [{ stdout: '', stderr: text, outcome: { type: 'exit', exit_code: 1 } }] };
  if (type === 'apply_patch_call') return { ...answer, status: 'failed', output: text };
  if (type === 'computer_call') return { ...answer, output: { type: 'computer_screenshot', image_url: BLANK } };
  if (type === 'tool_search_call') return { type: 'tool_search_output', call_id: id, execution: 'client', tools: [] };
  return { ...answer, output: text };
}

function quotedContent(item: Item): string | readonly unknown[] {
  const { id, content } = readResult(item);
  const { output, tools, status } = item;
  const parts = isRecord(output) ? [{ ...output, type: 'input_image', detail: 'auto' }] : content;
  return Array.isArray(parts)
    ? quotedBlocks(id, parts, 'input_text')
    : quotedResult(id, contentText(content ?? tools ?? status));
}

function recognizes(item: unknown): boolean | undefined {
  if (!isRecord(item)) return false;
  const { type, role, content } = item;
  if (OWN_TYPE.test(String(type))) return true;
  if (typeof role !== 'string' || role === 'tool' || role === 'function' || item.tool_calls !== undefined) return false;
  if (typeof content === 'string') return type === 'message' || undefined;
  if (!Array.isArray(content)) return false;
  const types = content.map((part) => (isRecord(part) ? String(part.type) : ''));
  return types.some((one) => OWN_PART.test(one)) || (types.every((one) => SHARED_PART.test(one)) ? undefined : false);
}
