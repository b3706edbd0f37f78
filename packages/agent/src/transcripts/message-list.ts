import { fieldsOf, formOf, fromModelMessages, isModelMessages, modelNameOf } from '@holdfast/sessions/foreign';
import { type Builder, createBuilder } from './builder.ts';
import { type Reader, some } from './reader.ts';
import type { Recording, Tell } from './recording.ts';
import { createItems, type Items } from './responses-items.ts';
import { createRows, type Row } from './rows.ts';
import { chatMessages, wireOf } from './to-chat.ts';

/** The format that a recorder may name. */
type Named = 'anthropic' | 'openai-chat';

/** Reads messages a line each, behind a line `{"meta": …}` or not, conversations a line each, and lists of either. */
export function messageReader(name: string, tell: Tell): Reader {
  const builder = createBuilder(name, 'messages', tell);
  const list = createList(builder, tell);
  const endList = (): readonly Recording[] => {
    list.end();
    return some(builder.end());
  };
  const addOne = (line: number, value: unknown): void => {
    const own = [value];
    if (isModelMessages(own)) addModelMessages(own, line, builder);
    else if (!list.add(line, value)) tell(line, `what is no message is left out${kindOf(value)}`);
  };
  const rows = createRows(tell);
  const whole = (row: Row | undefined): readonly Recording[] => {
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
      if (isTime) tell(line, 'the conversation is longer than any model’s window: it is cut, and goes on as another');
      const done = isTime ? end() : [];
      addOne(line, value);
      return done;
    },
  };
}

interface List extends Pick<Items, 'end'> {
  /** What the recorder says: the format, the model, and what each answer used. */
  begin(meta: Readonly<Record<string, unknown>>): void;
  /** False if it is no message. */
  add(line: number, message: unknown): boolean;
}

/** Messages of any wire format, each by its own, into one conversation. */
function createList(builder: Builder, tell: Tell): List {
  let named: Named | undefined;
  let wire: ReturnType<typeof wireOf>;
  let usages = new Map<unknown, unknown>();
  let place = 0;
  let at = { line: 0, time: undefined as unknown };
  const items = createItems((message) => void builder.add(at.line, [message], at.time));
  return {
    end() {
      items.end();
      [named, wire, usages, place] = [undefined, undefined, new Map(), 0];
    },
    begin({ format, model, usage_per_call: calls }) {
      named = format === 'anthropic' || format === 'openai-chat' ? format : undefined;
      builder.model(model);
      if (Array.isArray(calls)) usages = new Map(calls.map((usage) => [fieldsOf(usage).msg, usage]));
    },
    add(line, message) {
      if (formOf(message) !== 'message') return false;
      const fields = fieldsOf(message);
      const own = wireOf(message);
      if (named === undefined && own !== undefined && wire !== undefined && own !== wire)
        tell(line, `from here on the messages are ${own}, before they were ${wire}`);
      wire = own ?? wire;
      const time = fields.timestamp ?? fields.time ?? fields.created_at;
      at = { line, time };
      builder.model(fields.model);
      if (own === 'openai-responses') return items.add(message) || fields.type === 'reasoning';
      items.end();
      const chat = chatMessages(message, named ?? own ?? wire ?? 'openai-chat');
      const said = builder.add(line, chat, time);
      const usage = usages.get(place) ?? fields.usage;
      if (usage !== undefined && fields.role === 'assistant') said.usage = usage;
      place += 1;
      return true;
    },
  };
}

function addModelMessages(all: Parameters<typeof fromModelMessages>[0], line: number, builder: Builder): void {
  builder.model(modelNameOf(all));
  for (const entry of fromModelMessages(all)) {
    if (entry.type === 'message') builder.add(line, chatMessages(entry.message, 'openai-chat'));
    else if (entry.type === 'usage') builder.usage({ input_tokens: entry.tokens.input });
  }
}

function kindOf(value: unknown): string {
  const { type, role } = fieldsOf(value);
  const kind = type ?? role;
  return typeof kind === 'string' ? ` (${kind.slice(0, 40)})` : '';
}
