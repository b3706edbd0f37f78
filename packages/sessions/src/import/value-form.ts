/** What a JSON value of a transcript is; the only place that tells forms apart. */
export type ValueForm =
  /** The first line of `holdfast sessions export`, and its other lines. */
  | 'session-head'
  | 'session-entry'
  /** `{"meta": …}`: a recorder's header for the messages that follow. */
  | 'meta'
  | 'claude-code'
  | 'codex'
  /** `{"messages": […]}`, or `{"input": […], "output": […]}`, bare or as a `request`: a conversation in one line. */
  | 'row'
  /** A list of messages. */
  | 'list'
  /** A request or response of pydantic-ai. */
  | 'model-message'
  /** A message of any wire format, or an item of the Responses API. */
  | 'message'
  | 'unknown';

export type Fields = Readonly<Record<string, unknown>>;

/** The messages of a row. Pure. */
export function messagesOf(row: unknown): unknown {
  const { messages, input, output } = fieldsOf(row);
  return messages ?? [...(Array.isArray(input) ? input : []), ...(Array.isArray(output) ? output : [])];
}

/** The value as an object; an empty one if it is not an object. Pure. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

const CODEX = /^(?:session_meta|response_item|event_msg|turn_context|compacted)$/;
const ITEM = /^(?:message|reasoning|compaction\w*|item_reference|additional_tools|[a-z_]+_call(?:_output)?)$/;
const ROLE = /^(?:system|developer|user|assistant|model|tool|function|data)$/;

/** The form of a JSON value. Pure. */
export function formOf(value: unknown): ValueForm {
  if (Array.isArray(value)) return value.length > 0 ? 'list' : 'unknown';
  const fields = fieldsOf(value);
  const { type, role, kind } = fields;
  if (fields.holdfast === 'session') return 'session-head';
  if (typeof fields.seq === 'number' && typeof fields.hash === 'string' && 'entry' in fields) return 'session-entry';
  if ('meta' in fields && !('role' in fields)) return 'meta';
  if (typeof type === 'string' && CODEX.test(type) && 'payload' in fields) return 'codex';
  if (isClaudeCode(fields)) return 'claude-code';
  if (isRow(fields) || isRow(fieldsOf(fields.request))) return 'row';
  if ((kind === 'request' || kind === 'response') && Array.isArray(fields.parts)) return 'model-message';
  if (typeof role === 'string' && ROLE.test(role)) return 'message';
  return typeof type === 'string' && ITEM.test(type) ? 'message' : 'unknown';
}

function isRow(fields: Fields): boolean {
  return (
    'messages' in fields || (Array.isArray(fields.input) && fields.role === undefined && fields.type === undefined)
  );
}

function isClaudeCode({ type, uuid, sessionId, leafUuid, messageId, isSidechain }: Fields): boolean {
  if (typeof type !== 'string') return false;
  return (
    [uuid, sessionId, leafUuid, isSidechain].some((mark) => mark !== undefined) ||
    (messageId !== undefined && type === 'file-history-snapshot')
  );
}
