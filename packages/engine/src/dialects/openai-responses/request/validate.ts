import { isRecord } from '../../../json/record.ts';
import { listed, openaiCode, openaiWords } from '../../../rules/openai-words.ts';
import { API_PAIR_RULES, type RequestViolation } from '../../../rules/pair-rules.ts';
import { ruleOf, type ShapeFault } from '../../../rules/shape.ts';
import { checkItems, ID_LENGTH, type ItemRule, OPENAI_RESPONSES_MESSAGE_RULES } from '../rules.ts';
import { halfOf, isMessage, type OpenaiResponsesItem, pairId } from '../wire.ts';
import { checkItemFields, RESPONSES_BODY, RESPONSES_FIELD_RULES, toolsIn } from './fields.ts';

/** Matches the code or the words with which the API rejects thinking that does not belong to the messages before it. */
export const THINKING_REFUSAL =
  /invalid_encrypted_content|encrypted content .*could not be (?:verified|decrypted)|Item with id 'rs_[^']*' not found|Reasoning input items can only be provided to a reasoning/i;

/** What is known about a request besides its items: fields of its body, and facts. A rule whose fact is absent is skipped. */
export interface OpenaiResponsesRequest {
  /** The items are whole turns from the middle of a longer request. */
  readonly part?: boolean;
  /** The whole body, to check the fields besides `input`. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly store?: boolean | null;
  readonly previous_response_id?: string | null;
  readonly conversation?: unknown;
  /** Ids of the responses that the server stores. */
  readonly responses?: ReadonlySet<string>;
  /** Ids of the items that the server stores; none if absent and `store` is false. */
  readonly items?: ReadonlySet<string>;
  /** Ids of calls without output in the conversation that the request continues. */
  readonly open_calls?: readonly string[];
  /** Ids of items, each with the id of the reasoning that produced it. */
  readonly reasoning?: ReadonlyMap<string, string>;
  /** Why an `encrypted_content` cannot be read; undefined if it can. */
  readonly ciphertext?: (encrypted: string) => string | undefined;
  /** Tokens in the whole prompt. */
  readonly input_tokens?: number;
  /** The model's window, in tokens. */
  readonly limit?: number;
}

/** Every rule of the Responses API that is checked, with how to fix a violation. */
export const OPENAI_RESPONSES_RULES = {
  ...OPENAI_RESPONSES_MESSAGE_RULES,
  ...API_PAIR_RULES,
  'duplicate-call-id': 'Give each call its own call_id.',
  'lost-reasoning': 'Keep the reasoning before the item, or send the item without its id.',
  'unknown-item': 'Send the item itself with its encrypted content, or drop it.',
  'bad-ciphertext': 'Drop the item, or send its encrypted content as it was.',
  'part-type': 'Use output_text for the assistant and input_text, input_image or input_file for everyone else.',
  ...RESPONSES_FIELD_RULES,
  'bad-output': 'Use the output shape that its type requires.',
  'unknown-response': 'Send the whole conversation, without previous_response_id.',
  'two-parents': 'Send previous_response_id or conversation, not both.',
  'prompt-too-long': 'Send fewer tokens.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule, as violations give it. */
export type OpenaiResponsesRule = keyof typeof OPENAI_RESPONSES_RULES;

type Item = OpenaiResponsesItem;
type Report = (index: number, rule: OpenaiResponsesRule, message: string, param?: string) => void;

/** A violation with the place in the request that the API names. */
export interface OpenaiResponsesViolation extends RequestViolation {
  readonly param: string;
}

/**
 * Every rule of the Responses API that these items break, by item; rules about the request come last and are checked
 * only if `request` states the facts. Pure; never throws.
 */
export function validateOpenaiResponses(
  items: readonly Item[],
  request: OpenaiResponsesRequest = {},
): OpenaiResponsesViolation[] {
  const found: OpenaiResponsesViolation[] = [];
  const report: Report = (index, rule, message, param = 'input') =>
    found.push({ index, rule, message, fix: OPENAI_RESPONSES_RULES[rule], param });
  checkItems(items, (index, rule, about) => {
    const [message, param] = ITEM_TEXTS[rule](`input[${index}]`, about, items[index] ?? {});
    report(index, rule, message, param);
  });
  const sound = items.map((item) => (isRecord(item) ? (item as Item) : {}));
  checkPairs(sound, request, report);
  checkReasoning(sound, request, report);
  for (const [index, item] of sound.entries()) {
    checkStored(item, request, (rule, message) => report(index, rule, message));
    checkShape(item, index, report);
    checkItemFields(item, index, (fault) => reportShape(index, fault, report));
  }
  found.sort((a, b) => (a.index < 0 ? 1 : b.index < 0 ? -1 : a.index - b.index));
  if (request.part === true) return found;
  checkRequest(request, report);
  if (isRecord(request.body)) checkBody(request.body, sound, report);
  return found;
}

/** Checks the fields of the body, and that deferred tools can be found. */
function checkBody(body: Readonly<Record<string, unknown>>, items: readonly Item[], report: Report): void {
  for (const [key, shape] of Object.entries(RESPONSES_BODY))
    if (body[key] !== undefined) shape(body[key], [key], (fault) => reportShape(-1, fault, report));
  const tools = toolsIn(body, items);
  const searches = tools.filter(({ type }) => type === 'tool_search');
  const deferred = tools.some((tool) => tool.defer_loading === true);
  if (deferred && searches.length === 0) {
    const text = "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.";
    report(-1, 'deferred-without-search', text, 'tools');
  } else if (!deferred && searches.some(({ execution }) => execution !== 'client')) {
    const text = "Invalid Value: 'tools.tool_search'. tools.tool_search requires at least one deferred tool.";
    report(-1, 'search-without-deferred', text, 'tools');
  }
}

/** Reports a value of the wrong shape in the API's words. */
function reportShape(index: number, fault: ShapeFault, report: Report): void {
  const { message, param } = openaiWords(fault);
  report(index, ruleOf(fault), message, param);
}

/** The API's error for a violation: its status and the body's `error`. Pure. */
export function openaiResponsesError({ rule, message, param }: OpenaiResponsesViolation): {
  status: 400 | 404;
  error: { message: string; type: 'invalid_request_error'; param: string; code: string | null };
} {
  const isWorded = rule === 'bad-field' || message.startsWith('Invalid value');
  const code = (isWorded ? openaiCode(message) : CODES[rule as OpenaiResponsesRule]) ?? null;
  // Recorded with both statuses, more often with 404.
  const status = rule === 'unknown-item' ? 404 : 400;
  return { status, error: { message, type: 'invalid_request_error', param, code } };
}

const CODES: Partial<Readonly<Record<OpenaiResponsesRule, string>>> = {
  'bad-message': 'missing_required_parameter',
  'bad-item-id': 'invalid_value',
  'long-id': 'string_above_max_length',
  'misplaced-trigger': 'invalid_value',
  'unknown-parameter': 'unknown_parameter',
  'part-type': 'invalid_value',
  'bad-output': 'invalid_type',
  'bad-ciphertext': 'invalid_encrypted_content',
  'unknown-response': 'previous_response_not_found',
  'two-parents': 'mutually_exclusive_parameters',
  'prompt-too-long': 'context_length_exceeded',
};

type ItemText = (own: string, about: string, item: Item) => readonly [message: string, param?: string];

/** The text for each rule that the dialect checks, and the place. */
const ITEM_TEXTS: Readonly<Record<ItemRule, ItemText>> = {
  'bad-message': (own, about, { role }) => {
    if (about === '') return [`Invalid type for '${own}': expected an object.`, own];
    const unknown = `Invalid value: '${role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`;
    const isUnknown = about === 'role' && role !== undefined;
    return [isUnknown ? unknown : `Missing required parameter: '${own}.${about}'.`, `${own}.${about}`];
  },
  'lone-reasoning': (_, __, { id }) => [
    `Item '${id}' of type 'reasoning' was provided without its required following item.`,
  ],
  'duplicate-item-id': (_, __, { id }) => [`Duplicate item found with id ${id}.`],
  'bad-item-id': (own, about, { id }) => [
    `Invalid '${own}.id': '${id}'. Expected an ID that begins with '${about}'.`,
    `${own}.id`,
  ],
  'misplaced-trigger': (own) => [`Invalid '${own}': 'compaction_trigger' must be the final input item.`, own],
  'long-id': (own, about, item) => [
    `Invalid '${own}.${about}': string too long. Expected a string with maximum length ${ID_LENGTH}, but got a string with length ${String(item[about as 'id' | 'call_id']).length} instead.`,
    `${own}.${about}`,
  ],
};

/** A call and its output are matched by id alone, whatever their types; they need not be adjacent. */
function checkPairs(items: readonly Item[], request: OpenaiResponsesRequest, report: Report): void {
  const { open_calls: before, previous_response_id: parent, conversation, part } = request;
  const isKnown = Array.isArray(before) || !(parent || conversation);
  const open = new Map<string, number>();
  const done = new Set<string>();
  if (!part && Array.isArray(before)) for (const id of before) open.set(id, -1);
  for (const [index, item] of items.entries()) {
    const half = halfOf(item);
    const id = pairId(item);
    if (typeof id !== 'string') continue;
    // The API's text was not recorded; with one output for both, one call has none.
    if (half === 'call' && open.has(id))
      report(index, 'duplicate-call-id', `Duplicate ${spoken(item.type)} found with call_id ${id}.`);
    if (half === 'call') open.set(id, index);
    if (half !== 'output') continue;
    const isOpen = open.delete(id);
    // The API's text for a second output was not recorded.
    const rule = done.has(id) ? 'double-result' : 'orphan-result';
    if (!isOpen && (isKnown || done.has(id)))
      report(index, rule, `No tool call found for ${spoken(item.type)} with call_id ${id}.`);
    done.add(id);
  }
  for (const [id, index] of open) {
    const type = spoken(items[index]?.type ?? 'function_call');
    report(index, 'unanswered-call', `No tool output found for ${type} ${id}.`);
  }
}

function spoken(type: string | null | undefined): string {
  return String(type).replaceAll('_', ' ');
}

function checkReasoning(items: readonly Item[], { reasoning }: OpenaiResponsesRequest, report: Report): void {
  if (!reasoning) return;
  const met = new Set<unknown>();
  for (const [index, { id, type }] of items.entries()) {
    const needed = typeof id === 'string' ? reasoning.get(id) : undefined;
    met.add(id);
    if (needed === undefined || met.has(needed)) continue;
    const text = `Item '${id}' of type '${type ?? 'message'}' was provided without its required 'reasoning' item: '${needed}'.`;
    report(index, 'lost-reasoning', text);
  }
}

/** References must name something that the server stores, and encrypted content must be readable. */
function checkStored(
  item: Item,
  request: OpenaiResponsesRequest,
  report: (rule: OpenaiResponsesRule, message: string) => void,
): void {
  const { id, encrypted_content: sealed, content } = item;
  const type = item.type ?? (isMessage(item) ? 'message' : 'item_reference');
  const stored = request.items ?? (request.store === false ? new Set<string>() : undefined);
  const refers = type === 'item_reference' || (type === 'reasoning' && !sealed && !content);
  if (refers && typeof id === 'string' && stored && !stored.has(id)) {
    const text = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    report('unknown-item', text);
  }
  const reason = typeof sealed === 'string' ? request.ciphertext?.(sealed) : undefined;
  if (typeof sealed !== 'string' || reason === undefined) return;
  const shown = `${sealed.slice(0, 4)}...${sealed.slice(-4)}`;
  report('bad-ciphertext', `The encrypted content ${shown} could not be verified. Reason: ${reason}`);
}

const SAID = ['output_text', 'refusal'];
const GIVEN = ['input_text', 'input_image', 'input_file'];

/** Reports contents and outputs whose shape the API does not accept for the item's type. */
function checkShape(item: Item, index: number, report: Report): void {
  const { role, content, output, type } = item;
  const place = `input[${index}].${isMessage(item) ? 'content' : 'output'}`;
  const checkParts = (parts: unknown, allowed: readonly string[]): void => {
    for (const [at, part] of Array.isArray(parts) ? parts.entries() : []) {
      const kind = isRecord(part) ? String(part.type) : typeof part;
      if (allowed.includes(kind)) continue;
      const text = `Invalid value: '${kind}'. Supported values are: ${listed(allowed)}.`;
      report(index, 'part-type', text, `${place}[${at}]`);
    }
  };
  if (isMessage(item)) checkParts(content, role === 'assistant' ? SAID : [...GIVEN, 'input_audio']);
  if (isMessage(item) || halfOf(item) !== 'output' || type === 'tool_search_output') return;
  const expected = expectedOutput(item);
  if (expected) report(index, 'bad-output', `Invalid type for '${place}': expected ${expected}.`, place);
  else if (type !== 'shell_call_output') checkParts(output, GIVEN);
}

/** The shape that the output should have; undefined if it has it. */
function expectedOutput({ type, output }: OpenaiResponsesItem): string | undefined {
  switch (type) {
    case 'shell_call_output':
      return Array.isArray(output) && output.every(isRun) ? undefined : 'an array of objects';
    case 'computer_call_output':
      return isRecord(output) && output.type === 'computer_screenshot' ? undefined : 'an object';
    case 'apply_patch_call_output':
      return typeof (output ?? '') === 'string' ? undefined : 'a string';
    case 'local_shell_call_output':
      return typeof output === 'string' ? undefined : 'a string';
    default:
      return typeof output === 'string' || Array.isArray(output) ? undefined : 'one of a string or array of objects';
  }
}

function isRun(run: unknown): boolean {
  return isRecord(run) && typeof run.stdout === 'string' && typeof run.stderr === 'string' && isRecord(run.outcome);
}

function checkRequest(request: OpenaiResponsesRequest, report: Report): void {
  const { previous_response_id: parent, conversation, responses, input_tokens: input = 0, limit = input } = request;
  if (parent && conversation) {
    const text = "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.";
    report(-1, 'two-parents', text, 'previous_response_id');
  }
  if (parent && responses && !responses.has(parent))
    report(-1, 'unknown-response', `Previous response with id '${parent}' not found.`, 'previous_response_id');
  if (input > limit) {
    const text = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
    report(-1, 'prompt-too-long', text);
  }
}
