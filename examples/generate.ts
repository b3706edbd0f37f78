import { session } from './conversation/session.ts';
import type { ToolUse } from './conversation/steps.ts';
import {
  type AnthropicShape,
  anthropicMessages,
  type OpenaiChatShape,
  openaiChatMessages,
} from './conversation/wire.ts';

/** The wire formats in which a conversation can be generated. */
export type GeneratedDialect = 'anthropic' | 'openai-chat';

/** A message of a generated conversation. */
export type GeneratedMessage = AnthropicShape | OpenaiChatShape;

const SYSTEM = 'You are a careful engineer in a TypeScript project. Read before you edit, run the tests after.';
const CLOSING = 'I stop here; what is open stands in the to-do list.';

/**
 * A long conversation of a coding agent that explores a made-up project, reads, searches, edits, runs tests, makes
 * mistakes and fixes them. Pure: the same options give the same bytes. It ends with the agent's first answer after at
 * least `messages` messages.
 */
export function generateConversation(options: {
  readonly seed: number;
  readonly messages: number;
  readonly dialect: GeneratedDialect;
}): GeneratedMessage[] {
  const { seed, messages: wanted, dialect } = options;
  const shape = dialect === 'anthropic' ? anthropicMessages : openaiChatMessages;
  const prefix = dialect === 'anthropic' ? 'toolu_' : 'call_';
  let calls = 0;
  const ids = (use: ToolUse) => `${prefix}${seed.toString(36)}_${use.name}_${(calls++).toString(36)}`;
  const messages: GeneratedMessage[] = dialect === 'anthropic' ? [] : [{ role: 'system', content: SYSTEM }];
  for (const step of session(seed)) {
    messages.push(...shape(step, ids));
    if (messages.length >= wanted - 1 && step.type !== 'request') {
      if (step.type === 'work') messages.push(...shape({ type: 'answer', text: CLOSING }, ids));
      if (messages.length >= wanted) break;
    }
  }
  return messages;
}
