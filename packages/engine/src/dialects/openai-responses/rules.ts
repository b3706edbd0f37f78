import type { Violation } from '../../dialect.ts';
import { isRecord } from '../../json/record.ts';
import { halfOf, isMessage, type OpenaiResponsesItem, pairId, roleOf } from './wire.ts';

/** The rules for items, except pairing, with how to fix a violation. */
export const OPENAI_RESPONSES_MESSAGE_RULES = {
  'bad-message': 'Send a message with a known role and content, or an item with its type and call_id.',
  'lone-reasoning': 'Keep the reasoning with the item that followed it, or drop it.',
  'duplicate-item-id': 'Send each item once.',
  'bad-item-id': 'Send the id that the API gave, or none.',
  'long-id': 'Send ids of at most 64 characters.',
  'misplaced-trigger': 'Put the compaction trigger last.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule for items. */
export type ItemRule = keyof typeof OPENAI_RESPONSES_MESSAGE_RULES;

/** The longest id or call_id. */
export const ID_LENGTH = 64;

/** Prefixes of ids; those of other types are not known for certain. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fc',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctc',
  web_search_call: 'ws',
};

/** The prefix of an item's id; empty if unknown. */
export function idPrefix(item: OpenaiResponsesItem): string {
  return PREFIXES[isMessage(item) ? 'message' : String(item.type)] ?? '';
}

/** Every rule above that these items break, in part of a request or the whole. Pure; never throws. */
export function validateOpenaiResponses(items: readonly OpenaiResponsesItem[]): Violation[] {
  const found: Violation[] = [];
  checkItems(items, (index, rule) => found.push({ index, rule, fix: OPENAI_RESPONSES_MESSAGE_RULES[rule] }));
  return found.sort((a, b) => a.index - b.index);
}

/** Reports each violation, with the field's name or the prefix that an id should have. */
export function checkItems(
  items: readonly OpenaiResponsesItem[],
  report: (index: number, rule: ItemRule, about: string) => void,
): void {
  const ids = new Set<string>();
  let lone: number[] = [];
  for (const [index, item] of items.entries()) {
    const missing = missingIn(item);
    if (missing !== undefined) report(index, 'bad-message', missing);
    if (!isRecord(item)) continue;
    const { type, id, call_id: called } = item;
    if (typeof called === 'string' && called.length > ID_LENGTH) report(index, 'long-id', 'call_id');
    // The id of a local shell's output may be its call's.
    if (typeof id === 'string' && (type !== 'local_shell_call_output' || called)) {
      const prefix = idPrefix(item);
      if (id.length > ID_LENGTH) report(index, 'long-id', 'id');
      if (!id.startsWith(prefix)) report(index, 'bad-item-id', prefix);
      if (ids.size === ids.add(id).size) report(index, 'duplicate-item-id', id);
    }
    if (type === 'compaction_trigger' && index < items.length - 1) report(index, 'misplaced-trigger', '');
    if (type === 'reasoning') lone.push(index);
    else {
      if (roleOf(item) !== 'assistant' && type !== 'compaction')
        for (const at of lone) report(at, 'lone-reasoning', '');
      lone = [];
    }
  }
  for (const at of lone) report(at, 'lone-reasoning', '');
}

/** The field that is missing or invalid in an item; empty if it is not an object, undefined if nothing is wrong. */
function missingIn(item: OpenaiResponsesItem | undefined): string | undefined {
  if (!isRecord(item)) return '';
  const { type, role, id, content } = item;
  if (isMessage(item)) {
    if (!/^(?:user|assistant|system|developer)$/.test(String(role))) return 'role';
    return typeof content === 'string' || Array.isArray(content) ? undefined : 'content';
  }
  if (typeof type !== 'string') return type || typeof id !== 'string' ? 'type' : undefined;
  return halfOf(item) && typeof pairId(item) !== 'string' ? 'call_id' : undefined;
}
