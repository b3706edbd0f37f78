import {
  type Fields,
  fieldsOf,
  formOf,
  fromModelMessages,
  isModelMessages,
  messagesOf,
  modelNameOf,
  parsedJson,
} from '@holdfast/sessions/foreign';
import type { DialectName } from 'holdfast';
import { type Builder, createBuilder } from './builder.ts';
import type { Reader, Recording, Tell } from './recording.ts';
import { chatMessages, wireOf } from './to-chat.ts';

/** Reads one message per line, with or without a first line `{"meta": …}`; one conversation per line; and lists of these. */
export function messageReader(name: string, tell: Tell): Reader {
  const builder = createBuilder(name, 'messages', tell);
  const list = createList(builder, tell);
  const endList = (): readonly Recording[] => {
    list.end();
    return builder.end();
  };
  const addOne = (line: number, value: unknown): void => {
    const own = [value];
    if (isModelMessages(own)) addModelMessages(own, line, builder);
    else if (!list.add(line, value)) tell(line, `skipped values that are not messages${kindOf(value)}`);
  };
  const rows = createRows(tell);
  const whole = (row: ConversationRow | undefined): readonly Recording[] => {
    if (!row) return [];
    builder.model(null);
    list.begin({ model: row.model, usage_per_call: row.usages });
    for (const message of row.messages) addOne(row.line, message);
    return endList();
  };
  const end = (): readonly Recording[] => [...endList(), ...whole(rows.end())];
  return {
    end,
    take(line, value) {
      const form = formOf(value);
      if (form === 'meta') {
        const done = end();
        list.begin(fieldsOf(fieldsOf(value).meta));
        return done;
      }
      if (form === 'row') return [...endList(), ...whole(rows.add(line, value))];
      if (Array.isArray(value)) {
        const isRows = value.every((one) => formOf(one) === 'row');
        const all: readonly unknown[] = isRows ? value : [value];
        return [...endList(), ...all.flatMap((row) => whole(rows.add(line, row)))];
      }
      const isTime = builder.isFull() && fieldsOf(value).role === 'user';
      if (isTime) tell(line, 'split a conversation that is longer than any model’s window');
      const done = isTime ? end() : [];
      addOne(line, value);
      return done;
    },
  };
}

/** Adds messages to one conversation, each in its own format. */
function createList(builder: Builder, tell: Tell) {
  let named: DialectName | undefined;
  let wire: DialectName | undefined;
  let usages = new Map<unknown, unknown>();
  let place = 0;
  return {
    end() {
      [named, wire, usages, place] = [undefined, undefined, new Map(), 0];
    },
    /** What the recorder states: the format, the model, and the usage of each answer. */
    begin({ format, model, usage_per_call: calls }: Fields) {
      named = format === 'anthropic' || format === 'openai-chat' ? format : undefined;
      builder.model(model);
      if (Array.isArray(calls)) usages = new Map(calls.map((usage) => [fieldsOf(usage).msg, usage]));
    },
    /** False if it is not a message. */
    add(line: number, message: unknown): boolean {
      if (formOf(message) !== 'message') return false;
      const fields = fieldsOf(message);
      const own = wireOf(message);
      if (named === undefined && own !== undefined && wire !== undefined && own !== wire)
        tell(line, `the format changes here from ${wire} to ${own}`);
      wire = own ?? wire;
      builder.at(line, fields.timestamp ?? fields.time ?? fields.created_at);
      builder.model(fields.model);
      if (own === 'openai-responses') return builder.addItem(message) || fields.type === 'reasoning';
      const said = builder.add(chatMessages(message, named ?? own ?? wire ?? 'openai-chat'));
      const usage = usages.get(place) ?? fields.usage;
      if (usage !== undefined && fields.role === 'assistant') said.usage = usage;
      place += 1;
      return true;
    },
  };
}

function addModelMessages(all: Parameters<typeof fromModelMessages>[0], line: number, builder: Builder): void {
  builder.model(modelNameOf(all));
  builder.at(line);
  for (const entry of fromModelMessages(all)) {
    if (entry.type === 'message') builder.add(chatMessages(entry.message, 'openai-chat'));
    else if (entry.type === 'usage') builder.usage({ input_tokens: entry.tokens.input });
  }
}

function kindOf(value: unknown): string {
  const { type, role } = fieldsOf(value);
  const kind = type ?? role;
  return typeof kind === 'string' ? ` (${kind.slice(0, 40)})` : '';
}

/** A conversation in one value: a row of a data set, or one request as a proxy logs it. */
interface ConversationRow {
  readonly line: number;
  readonly messages: readonly unknown[];
  readonly model?: unknown;
  /** Usage of earlier requests of the same conversation, by the index of the answer. */
  readonly usages: readonly Fields[];
}

/** Joins rows that are requests of one conversation, each with all messages of the one before; keeps only the newest. */
function createRows(tell: Tell) {
  let held: ConversationRow | undefined;
  const end = (): ConversationRow | undefined => {
    const row = held;
    held = undefined;
    return row;
  };
  return {
    end,
    /** The row that is complete now, if this one does not continue it. */
    add(line: number, value: unknown): ConversationRow | undefined {
      const row = rowOf(line, value);
      if (!row) {
        tell(line, '"messages" is not a list');
        return end();
      }
      const isNext = held !== undefined && continues(held, row);
      const done = isNext ? undefined : end();
      if (isNext) tell(line, 'joined requests that repeat all messages of the previous one');
      held = held ? { ...row, usages: [...held.usages, ...row.usages] } : row;
      return done;
    },
  };
}

function rowOf(line: number, value: unknown): ConversationRow | undefined {
  const fields = Array.isArray(value) ? { messages: value } : fieldsOf(value);
  const request = { ...fields, ...fieldsOf(fields.request) };
  const given = messagesOf(request);
  const list: unknown = typeof given === 'string' ? parsedJson(given) : given;
  if (!Array.isArray(list)) return undefined;
  const system = request.system ?? request.instructions;
  const head = system === undefined || system === null ? [] : [{ role: 'system', content: system }];
  const messages = [...head, ...(list as readonly unknown[])];
  const answer = answerOf(fields);
  const usage = fields.usage ?? fieldsOf(fields.response).usage;
  const asked =
    answer === undefined && fieldsOf(messages.at(-1)).role === 'assistant' ? messages.length - 1 : messages.length;
  return {
    line,
    messages: answer === undefined ? messages : [...messages, answer],
    model: request.model ?? fieldsOf(fields.response).model,
    usages: usage === undefined ? [] : [{ ...fieldsOf(usage), msg: asked }],
  };
}

/** The message in a response of Chat Completions or of the Messages API. */
function answerOf({ response }: Fields): unknown {
  const { choices, content, role } = fieldsOf(response);
  if (Array.isArray(choices)) return fieldsOf(choices[0]).message;
  return Array.isArray(content) && role === 'assistant' ? { role, content } : undefined;
}

/** Compares only the first message and the last one not from the assistant; whole requests would take too long. */
function continues(before: ConversationRow, { messages }: ConversationRow): boolean {
  const asked = before.messages.findLastIndex((message) => fieldsOf(message).role !== 'assistant');
  const isLonger = messages.length > before.messages.length;
  return isLonger && [0, asked].every((at) => isSame(before.messages[at], messages[at]));
}

function isSame(a: unknown, b: unknown): boolean {
  return a !== undefined && JSON.stringify(a) === JSON.stringify(b);
}
