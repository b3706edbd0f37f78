import { isRecord } from '../../../json/record.ts';
import { API_PAIR_RULES, type RequestViolation } from '../../../rules/pair-rules.ts';
import { AI_SDK_MESSAGE_RULES, type AiSdkMessageRule, brokenBy } from '../rules.ts';
import { type AiSdkMessage, type AiSdkPart, partsOf } from '../wire.ts';

/** What is known about a call of the SDK besides its messages. */
export interface AiSdkRequest {
  /** The messages are whole turns from the middle of a longer request. */
  readonly part?: boolean;
  /** The option of that name: without it, the SDK refuses system messages among the others. */
  readonly allowSystemInMessages?: boolean;
}

/**
 * Every rule of `ai` 7 that is checked, with how to fix a violation. The SDK leaves three of them to the provider:
 * `orphan-result`, `double-result` and `duplicate-call-id`.
 */
export const AI_SDK_RULES = {
  ...AI_SDK_MESSAGE_RULES,
  ...API_PAIR_RULES,
  'duplicate-call-id': 'Give each call in a message its own id.',
  'system-message': 'Use the instructions option, or set allowSystemInMessages.',
  'unknown-approval': 'Keep the approval request before its response.',
  'approval-without-call': 'Keep the call that was approved.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule, as violations give it. */
export type AiSdkRule = keyof typeof AI_SDK_RULES;

const MISMATCH = 'Invalid prompt: The messages do not match the ModelMessage[] schema.';
const TEXTS: Readonly<Partial<Record<AiSdkMessageRule, (message: AiSdkMessage) => string>>> = {
  'no-messages': () => 'Invalid prompt: messages must not be empty',
  'bad-role': ({ role }) => `Invalid message role: '${role}'. Must be one of: "system", "user", "assistant", "tool".`,
};

type Id = string | undefined;

/** The state of one pass over the messages. */
interface Walk {
  /** Calls without a result, with the index of their message. */
  readonly open: Map<Id, number>;
  readonly answered: Set<Id>;
  /** Calls of the provider's own tools. */
  readonly provided: Set<Id>;
  /** The call that each approval is for. */
  readonly asked: Map<Id, Id>;
  readonly called: Set<Id>;
  report(index: number, rule: AiSdkRule, message: string): void;
}

/**
 * Every rule that the SDK checks before it calls a provider, by message: the shape of ModelMessage, calls without results,
 * approvals, system messages; and the pairing of calls and results. Pure; never throws.
 */
export function validateAiSdk(messages: readonly AiSdkMessage[], request: AiSdkRequest = {}): RequestViolation[] {
  const found: RequestViolation[] = [];
  const report: Walk['report'] = (index, rule, message) =>
    found.push({ index, rule, message, fix: AI_SDK_RULES[rule] });
  const walk: Walk = {
    open: new Map(),
    answered: new Set(),
    provided: new Set(),
    asked: new Map(),
    called: new Set(),
    report,
  };
  if (messages.length === 0 && !request.part) report(-1, 'no-messages', textOf('no-messages'));
  for (const [index, message] of messages.entries()) {
    const broken = brokenBy(message);
    if (broken) report(index, broken, textOf(broken, message));
    if (isRecord(message)) checkMessage(walk, index, message, request);
  }
  const last = messages.at(-1);
  if (!request.part && isRecord(last) && last.role === 'tool') checkApprovals(walk, messages.length - 1, last);
  closeCalls(walk);
  return found.sort((a, b) => a.index - b.index);
}

function textOf(rule: AiSdkMessageRule, message: AiSdkMessage = { role: '', content: '' }): string {
  return TEXTS[rule]?.(message) ?? MISMATCH;
}

function checkMessage(walk: Walk, index: number, message: AiSdkMessage, request: AiSdkRequest): void {
  const { role } = message;
  const parts = partsOf(message).filter(isRecord);
  if (role === 'assistant') openCalls(walk, index, parts);
  else if (role === 'tool') for (const part of parts) checkResult(walk, index, part);
  else closeCalls(walk);
  if (role === 'system' && !request.allowSystemInMessages) {
    const text =
      'Invalid prompt: System messages are not allowed in the prompt or messages fields. Use the instructions option instead.';
    walk.report(index, 'system-message', text);
  }
}

function openCalls(walk: Walk, index: number, parts: readonly AiSdkPart[]): void {
  const own = new Set<Id>();
  for (const { type, toolCallId: id, approvalId, providerExecuted } of parts) {
    if (type === 'tool-approval-request') walk.asked.set(approvalId, id);
    if (type !== 'tool-call') continue;
    walk.called.add(id);
    if (own.has(id)) walk.report(index, 'duplicate-call-id', `Two tool calls have the id ${id}.`);
    own.add(id);
    walk.answered.delete(id);
    if (providerExecuted) walk.provided.add(id);
    else walk.open.set(id, index);
  }
}

function checkResult(walk: Walk, index: number, { type, toolCallId: id }: AiSdkPart): void {
  if (type !== 'tool-result') return;
  if (walk.open.delete(id)) walk.answered.add(id);
  else if (walk.answered.has(id)) walk.report(index, 'double-result', `Tool call ${id} has a result before this one.`);
  else if (!walk.provided.has(id)) walk.report(index, 'orphan-result', `No tool call ${id} stands before its result.`);
}

/** The SDK looks for missing results at user and system messages and at the end, not at assistant messages. */
function closeCalls({ open, answered, report }: Walk): void {
  const [first] = open.values();
  const [are, s] = open.size > 1 ? ['s are', 's'] : [' is', ''];
  const ids = [...open.keys()].join(', ');
  if (first !== undefined) report(first, 'unanswered-call', `Tool result${are} missing for tool call${s} ${ids}.`);
  open.clear();
  answered.clear();
}

/** The SDK runs approved calls of the last message before it looks for results, so approvals count as results. */
function checkApprovals({ open, asked, called, report }: Walk, index: number, message: AiSdkMessage): void {
  const parts = partsOf(message).filter(isRecord);
  for (const { type, approvalId } of parts) {
    if (type !== 'tool-approval-response') continue;
    const id = asked.get(approvalId);
    if (!asked.has(approvalId)) {
      const text = `Tool approval response references unknown approvalId: "${approvalId}". No matching tool-approval-request found in message history.`;
      report(index, 'unknown-approval', text);
    } else if (!called.has(id)) {
      const text = `Tool call "${id}" not found for approval request "${approvalId}".`;
      report(index, 'approval-without-call', text);
    } else open.delete(id);
  }
}
