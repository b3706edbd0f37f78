import type { Violation } from '../../dialect.ts';
import { isRecord } from '../../json/record.ts';
import { type ServerCalls, unansweredServerCalls } from './server-calls.ts';
import { type AnthropicBlock, type AnthropicMessage, blocksOf, isBlank, isThinking, ROLE } from './wire.ts';

const DROP = 'Drop the block.';

/** The rules for messages, except pairing, with how to fix a violation. */
export const ANTHROPIC_MESSAGE_RULES = {
  'result-in-assistant': 'Move the result into the next user message.',
  'empty-text': DROP,
  'marker-on-empty-text': DROP,
  'blank-text': DROP,
  'empty-message': 'Drop the message.',
  'bad-content': 'Send a string or a list of blocks.',
  'bad-role': 'Use the role user, assistant or system.',
  'trailing-whitespace': 'Trim the text.',
  'first-assistant': 'Begin with a user message.',
  'first-system': 'Use the system parameter.',
  'misplaced-system': 'Move or drop the message.',
  'too-many-markers': 'Keep the newest four.',
  'marker-order': "Put markers with ttl '1h' before those with ttl '5m'.",
  'bad-call-id': 'Use letters, digits, underscores and hyphens only in ids.',
  'bad-call-input': 'Send the input of a tool_use as an object, parsed from its JSON.',
  'call-in-user': 'Move the tool_use into the assistant message before.',
  'thinking-in-user': 'Drop the block, or move it into an assistant message.',
  'misplaced-compaction': 'Send the assistant message with the compaction block first, and no second one.',
  'missing-signature': 'Send the thinking block with its original signature, or drop it.',
  'unanswered-server-call':
    'Keep the result block of the server tool, or drop its call; while one is pending, reply with tool_result blocks only.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule, as violations give it. */
export type AnthropicMessageRule = keyof typeof ANTHROPIC_MESSAGE_RULES;

/** The state of one pass over the messages. */
export interface AnthropicWalk {
  readonly messages: readonly AnthropicMessage[];
  /** False if they are the middle of a longer request. */
  readonly whole: boolean;
  /** False if thinking needs no signature. */
  readonly signed: boolean;
  /** Calls of server tools, looked up when the first is found. */
  served?: ServerCalls;
  /** Cache markers so far, and whether one was for five minutes. */
  markers: number;
  short: boolean;
  /** Called for each violation, with the index of the block and of the part of its content, if any. */
  broken(rule: AnthropicMessageRule, index: number, at?: number, part?: number): void;
}

/** Every rule above that these messages break. Stops at a malformed message. Pure; never throws. */
export function validateAnthropic(
  messages: readonly AnthropicMessage[],
  request: { readonly part?: boolean } = {},
  signed = true,
): Violation[] {
  const found: Violation[] = [];
  const walk: AnthropicWalk = {
    messages,
    whole: !request.part,
    signed,
    markers: 0,
    short: false,
    broken: (rule, index) => found.push({ index, rule, fix: ANTHROPIC_MESSAGE_RULES[rule] }),
  };
  if (messages.every((_, index) => checkMessage(walk, index))) {
    checkEnds(walk);
    if (walk.whole) checkMarkers(walk);
    // A result after other blocks is not read as one, so pairing cannot find it.
    const late = messages.findIndex((message) => message.role === 'user' && hasLateResult(message));
    if (late >= 0) found.push({ index: late, rule: 'late-result', fix: 'Put results first in their message.' });
  }
  return found;
}

function hasLateResult(message: AnthropicMessage): boolean {
  const blocks = blocksOf(message);
  const first = blocks.findIndex(({ type }) => type !== 'tool_result');
  return first >= 0 && blocks.some(({ type }, at) => at > first && type === 'tool_result');
}

/** True for a well-formed message. */
export function isMessage(message: AnthropicMessage | undefined): message is AnthropicMessage {
  const content = message?.content;
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every((block) => typeof block?.type === 'string');
}

/** Checks one message in its place; false if it is malformed. */
export function checkMessage(walk: AnthropicWalk, index: number): boolean {
  const { messages } = walk;
  const message = messages[index];
  if (!isMessage(message)) {
    walk.broken('bad-content', index);
    return false;
  }
  const { role, content } = message;
  if (!ROLE.test(String(role))) walk.broken('bad-role', index);
  if (role === 'system') checkSystem(walk, index);
  if (content.length > 0) checkBlocks(walk, index, message);
  else if (!isSetting(message) && (role !== 'assistant' || index < messages.length - 1))
    walk.broken('empty-message', index);
  return true;
}

/** True for a system message that sets something for the turns after it, and so may say nothing. */
export function isSetting({ role, output_config: config }: AnthropicMessage): boolean {
  return role === 'system' && isRecord(config) && Object.keys(config).length > 0;
}

function checkBlocks(walk: AnthropicWalk, index: number, message: AnthropicMessage): void {
  const { role } = message;
  const blocks = blocksOf(message);
  for (const [at, block] of blocks.entries()) {
    const { type, text, content } = block;
    checkPart(walk, block, index, at);
    if (type === 'tool_use') checkCall(walk, index, at, block, role);
    else if (type === 'compaction' && isLate(block, role, index)) walk.broken('misplaced-compaction', index, at);
    else if (role !== 'assistant' && isThinking(block)) walk.broken('thinking-in-user', index, at);
    else if (walk.signed && isUnsigned(block)) walk.broken('missing-signature', index, at);
    else if (type === 'tool_result') {
      if (role !== 'user') walk.broken('result-in-assistant', index);
      if (Array.isArray(content)) for (const [i, part] of content.entries()) checkPart(walk, part, index, at, i);
      else if (content !== undefined && typeof content !== 'string') walk.broken('bad-content', index, at);
    } else if (type === 'text' && text && isBlank(text)) {
      // Models send a line break before they think, and the API accepts it back.
      if (role !== 'assistant' || !blocks.some(isThinking)) walk.broken('blank-text', index);
    }
  }
  for (const at of unansweredServerCalls(walk, index)) walk.broken('unanswered-server-call', index, at);
}

function checkCall(walk: AnthropicWalk, index: number, at: number, { id, input }: AnthropicBlock, role: string): void {
  if (role !== 'assistant') {
    walk.broken('call-in-user', index);
    return;
  }
  if (!/^[\w-]+$/.test(id ?? '')) walk.broken('bad-call-id', index, at);
  if (!isRecord(input)) walk.broken('bad-call-input', index, at);
}

/** Only the assistant compacts. A signed block replaces everything before it, so it must come first; unsigned ones need not. */
function isLate({ signature }: AnthropicBlock, role: string, index: number): boolean {
  return role !== 'assistant' || (index > 0 && signature !== undefined);
}

/** True for thinking that the API did not sign. */
export function isUnsigned({ type, signature }: AnthropicBlock): boolean {
  return type === 'thinking' && signature === undefined;
}

/** Counts the marker of a block, or of a part of its content, and checks that its text is not empty. */
function checkPart(walk: AnthropicWalk, part: AnthropicBlock | undefined, index: number, at: number, i?: number): void {
  const marker = part?.cache_control;
  if (isMisordered(walk, marker)) walk.broken('marker-order', index, at, i);
  if (part?.text === '') walk.broken(marker ? 'marker-on-empty-text' : 'empty-text', index, at, i);
}

/** Counts a cache marker, if there is one; true if it is for an hour and one for five minutes came before. */
export function isMisordered(walk: AnthropicWalk, marker: AnthropicBlock['cache_control']): boolean {
  if (!marker) return false;
  walk.markers++;
  walk.short ||= marker.ttl !== '1h';
  return walk.short && marker.ttl === '1h';
}

function checkSystem(walk: AnthropicWalk, index: number): void {
  const before = walk.messages[index - 1];
  const next = walk.messages[index + 1];
  if (!before && walk.whole) walk.broken('first-system', index);
  else if (isMisplaced(before, next)) walk.broken('misplaced-system', index);
}

/** True if a system message is not allowed between these. */
export function isMisplaced(before: AnthropicMessage | undefined, next: AnthropicMessage | undefined): boolean {
  const follows = !before || before.role === 'user' || blocksOf(before).at(-1)?.type.endsWith('_tool_result');
  return !follows || (isRecord(next) && next.role !== 'assistant');
}

/** Checks the last message, and the first if the request is whole. */
export function checkEnds(walk: AnthropicWalk): void {
  const [first] = walk.messages;
  const last = walk.messages.at(-1);
  // A summary by the API comes first, in an assistant message.
  if (walk.whole && first?.role === 'assistant' && !blocksOf(first).some(({ type }) => type === 'compaction'))
    walk.broken('first-assistant', 0);
  if (last?.role === 'assistant' && endsBlank(last)) walk.broken('trailing-whitespace', walk.messages.length - 1);
}

/** True if a message ends in whitespace. */
export function endsBlank(message: AnthropicMessage): boolean {
  // Only the last character: a search for trailing spaces would stop at every space.
  const text: unknown = blocksOf(message).at(-1)?.text;
  const end = typeof text === 'string' ? text.slice(-1) : undefined;
  return Boolean(end && isBlank(end));
}

/** Checks the number of cache markers in a whole request. */
export function checkMarkers(walk: AnthropicWalk): void {
  if (walk.markers > 4) walk.broken('too-many-markers', -1);
}
