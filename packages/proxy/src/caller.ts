import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ConversationRequest, MessagePlace } from './body/conversation-request.ts';

/** Who asks, as far as a request says it. */
export interface Caller {
  /** API, caller and model family: conversations of different owners are never mixed. Contains no key. */
  readonly owner: string;
  /** What the client calls its conversation. */
  readonly hint?: string;
}

/** Headers in which clients name their conversation, or the subagent that speaks. */
const SESSION_HEADERS = [
  'x-claude-code-session-id',
  'x-claude-code-agent-id',
  'session-id',
  'session_id',
  'thread-id',
  'conversation_id',
  'x-session-id',
  'x-session-affinity',
];

/**
 * Reads who asks. Keys count by their HMAC with a local secret, so that nothing derived from them can be tried elsewhere.
 * OAuth tokens rotate: they count by the account, where the request names one. Pure.
 */
export function callerOf(
  { headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>,
  { fields, model }: Pick<ConversationRequest, 'fields' | 'model'>,
  { dialect }: Pick<MessagePlace, 'dialect'>,
  secret: Uint8Array,
): Caller {
  const identity = keyOf(headers, url) ?? accountOf(headers, fields);
  const caller = identity && createHmac('sha256', secret).update(identity).digest('hex').slice(0, 32);
  const named = SESSION_HEADERS.flatMap((name) => headers[name] ?? []);
  if (typeof fields.prompt_cache_key === 'string') named.push(fields.prompt_cache_key);
  return {
    owner: [dialect, caller ?? '', modelFamily(model)].join(' '),
    ...(named.length > 0 ? { hint: named.join(' ') } : {}),
  };
}

const OAUTH = /^(?:sk-ant-oat|ya29\.|eyJ[\w-]*\.[\w-]*\.)/;

/** Gemini's key has its own header, or is in the query. */
function keyOf(headers: IncomingHttpHeaders, url: string): string | undefined {
  const { 'x-api-key': own, 'x-goog-api-key': google, authorization } = headers;
  const key =
    own ??
    google ??
    /[?&]key=([^&]+)/.exec(url)?.[1] ??
    /^Bearer\s+(.+)$/i.exec(authorization ?? '')?.[1] ??
    authorization;
  return key === undefined || OAUTH.test(String(key)) ? undefined : `key ${key}`;
}

/** The account that Codex names in a header, or Claude Code in `metadata.user_id`: JSON, or in older versions a text. */
function accountOf(headers: IncomingHttpHeaders, { metadata }: ConversationRequest['fields']): string | undefined {
  const account = headers['chatgpt-account-id'];
  if (account !== undefined) return `account ${account}`;
  const user = (metadata as { readonly user_id?: unknown } | null | undefined)?.user_id;
  if (typeof user !== 'string') return undefined;
  const [, named] = /"account_uuid"\s*:\s*"([^"]+)"/.exec(user) ?? /_account_([\w-]+?)_session_/.exec(user) ?? [];
  return named === undefined ? undefined : `account ${named}`;
}

/** The words of a model's name without reseller, versions and dates: a new version continues a conversation. Pure. */
export function modelFamily(model: string): string {
  const words =
    model
      .toLowerCase()
      .split('/')
      .at(-1)
      ?.split(/[-_.:@[\]]/) ?? [];
  return words.filter((word) => /^[a-z]+$/.test(word) && word !== 'latest').join('-');
}
