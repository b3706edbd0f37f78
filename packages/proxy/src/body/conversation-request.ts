import { isUtf8 } from 'node:buffer';
import type { WireMessage } from '@holdfast/sessions';
import type { DialectName } from 'holdfast';
import { listSpan } from './list-span.ts';
import type { FoundList } from './replace-list.ts';

/** A request for an answer in a conversation, with its messages. */
export interface ConversationRequest {
  readonly bytes: Buffer;
  /** The parsed body. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly list: FoundList<WireMessage>;
  /** Tokens of everything but the messages, estimated: four characters each. */
  readonly reserve: number;
}

/** Where the messages of a request are, by the format of its API. */
export interface MessagePlace {
  readonly dialect: DialectName;
  readonly list: 'messages' | 'input';
}

const CHARACTERS = 4;

/**
 * Reads the body of a request. Undefined if it must reach the API as it came: it is not JSON, has no list of messages, goes on
 * from messages that the server keeps, or asks it to compact. Pure.
 */
export function readConversation(bytes: Buffer, { list: key }: MessagePlace): ConversationRequest | undefined {
  if (!isUtf8(bytes)) return undefined;
  const fields = parsed(bytes.toString('utf8'));
  const items = fields?.[key];
  if (!fields || !Array.isArray(items) || items.length === 0 || !items.every(isRecord)) return undefined;
  if (isServerKept(fields, items)) return undefined;
  const span = listSpan(bytes.toString('latin1'), key);
  if (span?.items.length !== items.length) return undefined;
  const model = typeof fields.model === 'string' ? fields.model : '';
  const reserve = Math.ceil((bytes.length - (span.end - span.start)) / CHARACTERS);
  return { bytes, fields, model, list: { span, items }, reserve };
}

/** True if the server has part of the conversation, answers later, or compacts. */
function isServerKept(fields: Readonly<Record<string, unknown>>, items: readonly WireMessage[]): boolean {
  const { previous_response_id, conversation, background, thread } = fields;
  const isReference = ({ type }: WireMessage) => type === 'item_reference' || type === 'compaction_trigger';
  return Boolean(previous_response_id ?? conversation ?? thread ?? background) || items.some(isReference);
}

function parsed(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
