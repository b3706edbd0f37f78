import { type DialectName, detectDialect, HoldfastError } from 'holdfast';
import { isTextOnly } from '../conversation/restore/dialect-for.ts';
import type { SessionEntry, WireMessage } from '../entry.ts';
import { parsedJson } from '../parsed-json.ts';
import type { NewSession } from '../store.ts';
import { fromModelMessages, isModelMessages, modelNameOf } from './pydantic-messages.ts';
import { fieldsOf, formOf, messagesOf } from './value-form.ts';

/** A conversation written by another program. */
export interface ForeignSession {
  readonly session: NewSession;
  readonly entries: readonly SessionEntry[];
  /** When it was last used. */
  readonly time?: number;
}

/** A row of the table `sessions`: `messages` as text or as a list; times in seconds. */
interface SessionRow {
  readonly id?: unknown;
  readonly title?: unknown;
  readonly created_at?: unknown;
  readonly updated_at?: unknown;
  readonly messages: unknown;
}

/**
 * Conversations from a list of messages (one JSON text, or one per line, with or without a first line `{"meta": …}`), or from
 * rows `{ id, title, created_at, updated_at, messages }`. Converts pydantic-ai messages to Chat Completions. Pure. Throws BAD_STATE.
 */
export function readForeign(lines: readonly string[]): ForeignSession[] {
  const values = parseAll(lines).filter((value) => formOf(value) !== 'meta');
  const only = values.length === 1 ? values[0] : undefined;
  const list = Array.isArray(only) ? only : values;
  if (list.length > 0 && list.every((value) => formOf(value) === 'row'))
    return list.map((row) => fromRow({ ...(row as SessionRow), messages: messagesOf(row) }));
  return [fromMessages(list, {})];
}

function fromRow({ id, title, created_at: created, updated_at: updated, messages }: SessionRow): ForeignSession {
  const list = typeof messages === 'string' ? parseAll([messages])[0] : messages;
  if (!Array.isArray(list)) throw refused('"messages" is not a list');
  const session: NewSession = {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof created === 'number' ? { created: created * 1_000 } : {}),
  };
  return { ...fromMessages(list, session), ...(typeof updated === 'number' ? { time: updated * 1_000 } : {}) };
}

function fromMessages(list: readonly unknown[], session: NewSession): ForeignSession {
  if (isModelMessages(list)) {
    const entries = fromModelMessages(list);
    return { session, entries: [modelEntry('openai-chat', modelNameOf(list)), ...entries] };
  }
  const odd = list.findIndex((message) => Object.keys(fieldsOf(message)).length === 0);
  if (odd >= 0 || list.length === 0)
    throw refused(list.length === 0 ? 'there is no message' : `message ${odd} is not an object`);
  const messages = list as readonly WireMessage[];
  const entries = messages.map((message) => ({ type: 'message', message }) as const);
  // Plain text fits any wire format.
  if (messages.every(isTextOnly)) return { session, entries };
  return { session, entries: [modelEntry(detectDialect(list).name as DialectName), ...entries] };
}

function modelEntry(dialect: DialectName, model = 'unknown'): SessionEntry {
  return { type: 'model', provider: 'imported', model, dialect };
}

function parseAll(lines: readonly string[]): unknown[] {
  const whole = parsedJson(lines.join('\n'));
  if (whole !== undefined) return [whole];
  return lines.map((line, at) => {
    const value = parsedJson(line);
    if (value === undefined) throw refused(`line ${at + 1} is not JSON`);
    return value;
  });
}

function refused(problem: string): HoldfastError {
  const text = `this is neither a holdfast export nor a list of messages: ${problem}. Nothing was imported`;
  return new HoldfastError('BAD_STATE', text);
}
