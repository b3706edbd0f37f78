import type { Role } from '../../dialect.ts';

/** An item of the Responses API, as in `input`: the fields that the engine and the rules read. */
export interface OpenaiResponsesItem {
  /** Optional for a message, and for a reference, which has only an id. */
  readonly type?: string | null;
  readonly role?: string;
  readonly content?: string | readonly unknown[] | null;
  readonly id?: string | null;
  readonly call_id?: string | null;
  readonly name?: string | null;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly action?: unknown;
  readonly actions?: unknown;
  readonly operation?: unknown;
  readonly output?: unknown;
  readonly tools?: unknown;
  readonly result?: unknown;
  readonly summary?: unknown;
  readonly encrypted_content?: string | null;
  readonly execution?: string;
  readonly caller?: { readonly type?: string } | null;
  readonly status?: string | null;
  readonly internal_chat_message_metadata_passthrough?: unknown;
}

/** What Codex adds to items for the server alone. */
export const UNSEEN = 'internal_chat_message_metadata_passthrough';

const PAIRED = /^(?:(?:function|custom_tool|local_shell|shell|apply_patch|computer)_call(?:_output)?|tool_search_.+)$/;
/** Items that affect what follows: the provider's compactions, and changes of tools and settings. */
const FIRM = /compaction|^(?:additional_tools|configuration_update)$/;

/** Which half of a client's call an item is, if any; the server answers its own calls. */
export function halfOf({ type, execution }: OpenaiResponsesItem): 'call' | 'output' | undefined {
  if (typeof type !== 'string' || !PAIRED.test(type) || (type.startsWith('tool') && execution !== 'client'))
    return undefined;
  return type.endsWith('_output') ? 'output' : 'call';
}

/** The id that matches a call with its output. The output of a local shell may have it as its own id. */
export function pairId({ type, call_id: id, id: own }: OpenaiResponsesItem): string | null | undefined {
  return id ?? (type === 'local_shell_call_output' ? own : id);
}

/** True for a message of any role. */
export function isMessage({ type, role }: OpenaiResponsesItem): boolean {
  return type === 'message' || (!type && role !== undefined);
}

/** True for an item that no fold may touch. */
export function isFirm({ type }: OpenaiResponsesItem): boolean {
  return FIRM.test(type ?? '');
}

/** True for a search that made tools available: without it the model cannot call them. */
export function loadsTools({ type, tools, execution }: OpenaiResponsesItem): boolean {
  if (type === 'tool_search_call') return execution !== 'client';
  return type === 'tool_search_output' && Array.isArray(tools) && tools.length > 0;
}

/** The role of an item. Items of the server, and of unknown kinds, count as the assistant's. */
export function roleOf(item: OpenaiResponsesItem): Role {
  const { role } = item;
  if (halfOf(item) === 'output') return 'tool';
  if (isFirm(item) || role === 'developer' || role === 'system') return 'system';
  return isMessage(item) && role !== 'assistant' ? 'user' : 'assistant';
}
