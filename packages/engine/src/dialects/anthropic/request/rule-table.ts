import { API_PAIR_RULES } from '../../../rules/pairs.ts';
import type { Violation } from '../../../rules/violation.ts';
import { ANTHROPIC_MESSAGE_RULES, type AnthropicWalk } from '../rules.ts';
import type { AnthropicRequest } from './facts.ts';

/** Every rule of the Messages API that is checked, with what the caller should do when it is broken. */
export const ANTHROPIC_RULES = {
  ...ANTHROPIC_MESSAGE_RULES,
  ...API_PAIR_RULES,
  'duplicate-call-id': 'Give each call an id of its own.',
  'tools-missing': 'Define the tools in the request, or drop the tool blocks.',
  'no-prefill': 'End the conversation with a user message.',
  'no-system-messages': 'Say it in a user message, or in the system parameter of the request.',
  'marker-conflict': 'Give both markers the same ttl, or drop one.',
  'marker-on-thinking': 'Move the marker to a block that is not thinking.',
  'thinking-mode': 'Use the thinking.type that this model takes.',
  'changed-thinking':
    'Send the thinking blocks of the latest assistant message as they were answered, or none of them.',
  'missing-thinking': 'Keep the thinking block with which the latest tool loop began, or turn thinking off.',
  'bad-signature': 'Send the thinking block as it was answered, or drop it.',
  'bound-thinking': 'Remove all thinking that follows the changed place, or ask the API to drop it.',
  'binding-header': 'Send the beta header thinking-binding-controls-2026-08-01, or leave block_binding out.',
  'forced-tool-choice': 'Use tool_choice auto or none.',
  'prompt-too-long': 'Send fewer tokens.',
  'context-exceeded': 'Send fewer tokens, or lower max_tokens.',
  'many-images-side': 'Scale the image down to 2000 pixels a side, or send at most 20 images.',
  'image-side': 'Scale the image down to 8000 pixels a side.',
  'image-bytes': 'Compress the image to at most 10 MB.',
  'too-many-images': 'Drop the oldest images and documents.',
  'body-too-large': 'Send at most 32 MB.',
  'too-many-messages': 'Send at most 100,000 messages.',
  'extra-field': 'Leave the field out.',
  'result-content': 'Give the tool_result blocks that it may hold.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule, as it stands in a violation. */
export type AnthropicRule = keyof typeof ANTHROPIC_RULES;

/** What one pass over the messages carries along. */
export interface Walk extends AnthropicWalk {
  readonly request: AnthropicRequest;
  readonly found: Violation[];
  tools: boolean;
  images: number;
  /** Pages of PDFs, as far as these state them. */
  pages: number;
  /** Images that are too large to be one of many. */
  readonly large: { readonly index: number; readonly path: string }[];
  /** Where in the original order the next thinking block must stand; -1 before the first. */
  thought: number;
}

/** Where a block stands, as the API spells it. */
export function place(index: number, at: number): string {
  return `messages.${index}.content.${at}`;
}

/** Notes a broken rule. */
export function report(walk: Walk, index: number, rule: AnthropicRule, message: string): void {
  walk.found.push({ index, rule, message, fix: ANTHROPIC_RULES[rule] });
}
