import { isRecord } from '../../../content.ts';
import { API_PAIR_RULES } from '../../../rules/pairs.ts';
import type { Violation } from '../../../rules/violation.ts';
import { checkItems, ID_LENGTH, type ItemRule, OPENAI_RESPONSES_MESSAGE_RULES } from '../rules.ts';
import { halfOf, isMessage, type OpenaiResponsesItem, pairId } from '../wire.ts';
import { checkShape } from './shapes.ts';

/**
 * What is known of a request beside its items: fields of its body under their own names, and facts about it. A rule whose
 * fact is absent is not checked.
 */
export interface OpenaiResponsesRequest {
  /** The items are whole turns from the middle of a longer request. */
  readonly part?: boolean;
  readonly store?: boolean | null;
  readonly previous_response_id?: string | null;
  readonly conversation?: unknown;
  /** Ids of the responses that the server holds. */
  readonly responses?: ReadonlySet<string>;
  /** Ids of the items that the server holds; absent with `store: false`: none. */
  readonly items?: ReadonlySet<string>;
  /** Ids of the calls that were left open in the conversation that the request goes on with. */
  readonly open_calls?: readonly string[];
  /** Ids of items, and of the reasoning that they were made with. */
  readonly reasoning?: ReadonlyMap<string, string>;
  /** Says why an `encrypted_content` cannot be read, if so. */
  readonly ciphertext?: (encrypted: string) => string | undefined;
  /** Tokens of the whole prompt. */
  readonly input_tokens?: number;
  /** Tokens that the model takes. */
  readonly limit?: number;
}

/** Every rule of the Responses API that is checked, with what the caller should do when it is broken. */
export const OPENAI_RESPONSES_RULES = {
  ...OPENAI_RESPONSES_MESSAGE_RULES,
  ...API_PAIR_RULES,
  'duplicate-call-id': 'Give each call a call_id of its own.',
  'lost-reasoning': 'Keep the reasoning before the item, or send the item without its id.',
  'unknown-item': 'Send the item itself with its encrypted content, or drop it.',
  'bad-ciphertext': 'Drop the item, or send its encrypted content as it was.',
  'part-type': 'Use output_text for the assistant and input_text, input_image or input_file for all others.',
  'bad-output': 'Give the output the shape that its type asks for.',
  'unknown-response': 'Send the whole conversation, without previous_response_id.',
  'two-parents': 'Send previous_response_id or conversation, not both.',
  'prompt-too-long': 'Send fewer tokens.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule, as it stands in a violation. */
export type OpenaiResponsesRule = keyof typeof OPENAI_RESPONSES_RULES;

type Item = OpenaiResponsesItem;
type Report = (index: number, rule: OpenaiResponsesRule, message: string, param?: string) => void;

/** A violation that knows the place in the request that the API names. */
export interface OpenaiResponsesViolation extends Violation {
  readonly param: string;
}

/**
 * Every rule of the Responses API that these items break, by item; rules of the request come last and are checked as far
 * as `request` states its facts. Pure; never throws.
 */
export function validateOpenaiResponses(
  items: readonly Item[],
  request: OpenaiResponsesRequest = {},
): OpenaiResponsesViolation[] {
  const found: OpenaiResponsesViolation[] = [];
  const report: Report = (index, rule, message, param = 'input') =>
    found.push({ index, rule, message, fix: OPENAI_RESPONSES_RULES[rule], param });
  checkItems(items, (index, rule, about) => {
    const { message, param } = itemError(rule, items[index], index, about);
    report(index, rule, message, param);
  });
  const sound = items.map((item) => (isRecord(item) ? (item as Item) : {}));
  checkPairs(sound, request, report);
  checkReasoning(sound, request, report);
  for (const [index, item] of sound.entries()) {
    checkStored(item, request, (rule, message) => report(index, rule, message));
    checkShape(item, `input[${index}]`, (rule, message, param) => report(index, rule, message, param));
  }
  found.sort((a, b) => (a.index < 0 ? 1 : b.index < 0 ? -1 : a.index - b.index));
  if (request.part !== true) checkRequest(request, report);
  return found;
}

/** The API's error for a violation: its status and the body's `error`. Pure. */
export function openaiResponsesError({ rule, message, param }: OpenaiResponsesViolation): {
  status: 400 | 404;
  error: { message: string; type: 'invalid_request_error'; param: string; code: string | null };
} {
  const isMissing = rule !== 'bad-message' || !message.startsWith('Invalid value');
  const code = isMissing ? (CODES[rule as OpenaiResponsesRule] ?? null) : 'invalid_value';
  // Recorded with both statuses, more often with 404.
  const status = rule === 'unknown-item' ? 404 : 400;
  return { status, error: { message, type: 'invalid_request_error', param, code } };
}

const CODES: Partial<Readonly<Record<OpenaiResponsesRule, string>>> = {
  'bad-message': 'missing_required_parameter',
  'bad-item-id': 'invalid_value',
  'long-id': 'string_above_max_length',
  'misplaced-trigger': 'invalid_value',
  'part-type': 'invalid_value',
  'bad-output': 'invalid_type',
  'bad-ciphertext': 'invalid_encrypted_content',
  'unknown-response': 'previous_response_not_found',
  'two-parents': 'mutually_exclusive_parameters',
  'prompt-too-long': 'context_length_exceeded',
};

/** The text and the place for a rule that the dialect checks by itself. */
function itemError(rule: ItemRule, item: Item | undefined, index: number, about: string) {
  const { id } = item ?? {};
  const own = `input[${index}]`;
  const field = `${own}.${about}`;
  switch (rule) {
    case 'bad-message':
      if (about === 'role' && item?.role !== undefined) {
        const message = `Invalid value: '${item.role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`;
        return { message, param: field };
      }
      return about === ''
        ? { message: `Invalid type for '${own}': expected an object.`, param: own }
        : { message: `Missing required parameter: '${field}'.`, param: field };
    case 'lone-reasoning':
      return { message: `Item '${id}' of type 'reasoning' was provided without its required following item.` };
    case 'duplicate-item-id':
      return { message: `Duplicate item found with id ${id}.` };
    case 'bad-item-id':
      return {
        message: `Invalid '${own}.id': '${id}'. Expected an ID that begins with '${about}'.`,
        param: `${own}.id`,
      };
    case 'misplaced-trigger':
      return { message: `Invalid '${own}': 'compaction_trigger' must be the final input item.`, param: own };
    case 'long-id': {
      const { length } = String(item?.[about as 'id' | 'call_id']);
      const message = `Invalid '${field}': string too long. Expected a string with maximum length ${ID_LENGTH}, but got a string with length ${length} instead.`;
      return { message, param: field };
    }
  }
}

/** A call and its output find each other by id alone, whatever their types; nothing asks that they be neighbours. */
function checkPairs(items: readonly Item[], request: OpenaiResponsesRequest, report: Report): void {
  const { open_calls: before, previous_response_id: parent, conversation, part } = request;
  const isKnown = before !== undefined || !(parent || conversation);
  const open = new Map<string, number>();
  const done = new Set<string>();
  if (!part) for (const id of before ?? []) open.set(id, -1);
  for (const [index, item] of items.entries()) {
    const half = halfOf(item);
    const id = pairId(item);
    if (typeof id !== 'string') continue;
    // What the API says to it was not recorded: with one output for both, one call is left without.
    if (half === 'call' && open.has(id))
      report(index, 'duplicate-call-id', `Duplicate ${spoken(item.type)} found with call_id ${id}.`);
    if (half === 'call') open.set(id, index);
    if (half !== 'output') continue;
    const isOpen = open.delete(id);
    // What the API says to a second output was not recorded; to the call it is one too many.
    const rule = done.has(id) ? 'double-result' : 'orphan-result';
    if (!isOpen && (isKnown || done.has(id)))
      report(index, rule, `No tool call found for ${spoken(item.type)} with call_id ${id}.`);
    done.add(id);
  }
  for (const [id, index] of open)
    report(
      index,
      'unanswered-call',
      `No tool output found for ${spoken(items[index]?.type ?? 'function_call')} ${id}.`,
    );
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

/** What stands for something that only the server has must be there, and readable. */
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
