import type { Role } from '../../dialect.ts';

/** An item of the Responses API, as `input` takes it: the fields that the engine and the rules look at. */
export interface OpenaiResponsesItem {
  /** A message may leave it out, and so may a reference, which has only an id. */
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
}

const PAIRED = /^(?:(?:function|custom_tool|local_shell|shell|apply_patch|computer)_call(?:_output)?|tool_search_.+)$/;
/** Items that hold for what follows them: the provider's compactions, and changes of tools and settings. */
const FIRM = /compaction|^(?:additional_tools|configuration_update)$/;

/** Which half of a call that the client answers an item is, if any; what the server runs is answered by itself. */
export function halfOf({ type, execution }: OpenaiResponsesItem): 'call' | 'output' | undefined {
  if (typeof type !== 'string' || !PAIRED.test(type) || (type.startsWith('tool') && execution !== 'client'))
    return undefined;
  return type.endsWith('_output') ? 'output' : 'call';
}

/** The id by which a call and its output find each other. The output of a local shell may have it as its own. */
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

/** Who speaks. What the server made or asked for counts as the model's, and so does an item of a kind not known here. */
export function roleOf(item: OpenaiResponsesItem): Role {
  const { role } = item;
  if (halfOf(item) === 'output') return 'tool';
  if (isFirm(item) || role === 'developer' || role === 'system') return 'system';
  return isMessage(item) && role !== 'assistant' ? 'user' : 'assistant';
}
