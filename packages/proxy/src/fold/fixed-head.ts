import type { WireMessage } from '@holdfast/sessions';
import type { DialectName } from 'holdfast';

/** Roles of instructions and tools, which some APIs put in front of the messages, and others in fields of their own. */
const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer']);

type Part = Readonly<Record<string, unknown>>;

/** How many messages at the front are not part of the conversation. Pure. */
export function headLength(messages: readonly WireMessage[]): number {
  const first = messages.findIndex(({ role }) => !ROLES.has(role));
  return first === -1 ? messages.length : first;
}

/**
 * The messages with a cache breakpoint at the end of their head, for models that read a prefix from the cache only up to a
 * breakpoint or to where an earlier request ended. The same messages if the client sets breakpoints itself. Pure.
 */
export function markHead(api: DialectName, messages: readonly WireMessage[], length: number): readonly WireMessage[] {
  const parts = messages.map(({ content }) => partsOf(api, content));
  const at = parts.slice(0, length).findLastIndex((own) => own.length > 0);
  if (at === -1 || parts.some((own) => own.some((part) => part.prompt_cache_breakpoint))) return messages;
  const own = parts[at] ?? [];
  const last = { ...own.at(-1), prompt_cache_breakpoint: { mode: 'explicit' } };
  return messages.with(at, { ...messages[at], content: own.with(-1, last) });
}

/** The parts of a content; a text is one part, of the type that its API has for it. */
function partsOf(api: DialectName, content: unknown): readonly Part[] {
  if (typeof content === 'string') return [{ type: api === 'openai-chat' ? 'text' : 'input_text', text: content }];
  return Array.isArray(content) ? content.filter((part) => typeof part === 'object' && part !== null) : [];
}
