import { type Dialect, HoldfastError, handleTarget, messageHandle } from 'holdfast';
import { dialectFor } from '../conversation/restore/dialect-for.ts';
import type { PlacedMessage, SessionInfo, SessionStore } from '../store.ts';
import { findConversation, type Reach } from './find-conversation.ts';
import { imagesIn } from './recalled-images.ts';

/** The originals that a handle names, and the content of a result if it names one. */
export interface RecalledMessages {
  readonly session: SessionInfo;
  readonly dialect: Dialect<unknown>;
  readonly messages: readonly PlacedMessage[];
  readonly content?: unknown;
}

/**
 * The originals behind `m41@ID`, one result (`m41.1@ID`) or a run of messages (`m12-m40@ID`). Throws UNKNOWN_HANDLE with the
 * reason: not a handle, an expired, deleted or unknown conversation, or a message that it does not have.
 */
export async function recallHandle(store: SessionStore, given: string, reach?: Reach): Promise<RecalledMessages> {
  const target = handleTarget(given.trim().replace(/^\[|\]$/g, ''));
  const conversation = target?.scope;
  if (!target || conversation === undefined)
    throw unknown(given, `"${given}" is not a handle: expected one such as m41.1@ID or m12-m40@ID, with its id`);
  const session = await findConversation(store, conversation, reach);
  if (!session)
    throw unknown(
      given,
      `conversation ${conversation} is not stored here: it expired, it was deleted, or the id after @ is wrong`,
    );
  const { index, revision, part, to = { index, revision } } = target;
  const messages: PlacedMessage[] = [];
  for (let at = index; at <= to.index; at++) {
    const found = await messageAt(store, session.id, at, at === to.index ? to.revision : revision);
    if (!found) throw unknown(given, `conversation ${conversation} has no message ${messageHandle(at, revision)}`);
    messages.push(found);
  }
  const [first] = messages;
  if (!first) throw unknown(given, `"${given}" runs backwards`);
  const dialect = dialectFor(session.dialect, ...messages.map(({ message }) => message));
  if (part === undefined) return { session, dialect, messages };
  const result = dialect.read(first.message).results[part];
  if (!result) throw unknown(given, `message ${first.handle}@${conversation} has no result ${part}`);
  return { session, dialect, messages, content: result.content };
}

async function messageAt(store: SessionStore, session: string, index: number, revision: number) {
  return (
    (await store.message(session, messageHandle(index, revision))) ??
    // In a run, the part before a rewrite has no revision.
    (revision > 0 ? await store.message(session, messageHandle(index)) : undefined)
  );
}

/** What was recalled as text: a result or a message of plain words exactly as it was, several messages under their handles. Pure. */
export function recalledText({ dialect, messages, content }: RecalledMessages): string {
  if (content !== undefined) return contentText(content);
  if (messages.length === 1) return textOf(dialect, messages[0]?.message);
  return messages
    .map(({ handle, message }) => `[${handle} ${dialect.read(message).role}]\n${textOf(dialect, message)}`)
    .join('\n\n');
}

function textOf(dialect: Dialect<unknown>, message: unknown): string {
  const { calls, results } = dialect.read(message);
  const words = dialect.text(message);
  const said = [
    ...results.map((result) => contentText(result.content)),
    ...(words === '' ? [] : [words]),
    ...calls.map(({ name, input }) => `${name} ${typeof input === 'string' ? input : JSON.stringify(input)}`),
    ...otherParts(dialect, message),
  ];
  return said.length === 0 ? JSON.stringify(message) : said.join('\n');
}

/** Parts that are neither words, thinking, calls nor results, such as what a provider's own tools found: their JSON. */
function otherParts(dialect: Dialect<unknown>, message: unknown): string[] {
  const { content } = message as { readonly content?: unknown };
  const parts = Array.isArray(content) ? content : [];
  const others = parts.filter((part) => {
    const { words, thinking, calls, results } = dialect.read({ ...(message as object), content: [part] });
    return !words && !thinking && calls.length + results.length === 0;
  });
  return others.map((part) => JSON.stringify(part, withoutBytes));
}

function withoutBytes(key: string, value: unknown): unknown {
  return typeof value === 'string' && BYTES.test(value) ? `[${key}, ${value.length} characters]` : value;
}

/** Blocks of text as they are, pictures by their kind, others as JSON. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content) ?? '';
  return content.map(blockText).join('\n');
}

/** What is encoded or encrypted. */
const BYTES = /^(?:data:[^,]*,)?[\w+/=-]{300,}$/;

function blockText(block: unknown): string {
  const { text } = (block ?? {}) as { readonly text?: unknown };
  if (typeof text === 'string') return text;
  const [image] = imagesIn(block);
  if (image) return `[${image.mediaType}, ${image.data.length} characters of base64]`;
  return JSON.stringify(block, withoutBytes) ?? '';
}

function unknown(handle: string, text: string): HoldfastError {
  return new HoldfastError('UNKNOWN_HANDLE', text, { handle });
}
