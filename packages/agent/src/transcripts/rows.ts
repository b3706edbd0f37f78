import { type Fields, fieldsOf, messagesOf, parsedJson } from '@holdfast/sessions/foreign';
import type { Tell } from './recording.ts';

/** A conversation in one value: a row of a data set, or one request as a proxy logs it. */
export interface Row {
  readonly line: number;
  readonly messages: readonly unknown[];
  readonly model?: unknown;
  /** What earlier requests of the same conversation used, by the place of the answer. */
  readonly usages: readonly Fields[];
}

/** Puts rows together that are requests of one conversation: each has all messages of the one before. */
export interface Rows {
  /** The row that is whole now, if this one does not go on from it. */
  add(line: number, value: unknown): Row | undefined;
  end(): Row | undefined;
}

/** Rows, one after the other; only the newest is held. */
export function createRows(tell: Tell): Rows {
  let held: Row | undefined;
  const end = (): Row | undefined => {
    const row = held;
    held = undefined;
    return row;
  };
  return {
    end,
    add(line, value) {
      const row = rowOf(line, value);
      if (!row) {
        tell(line, '"messages" is no list');
        return end();
      }
      const isNext = held !== undefined && goesOn(held, row);
      const done = isNext ? undefined : end();
      if (isNext) tell(line, 'requests that hold all messages of the one before are one conversation');
      held = held ? { ...row, usages: [...held.usages, ...row.usages] } : row;
      return done;
    },
  };
}

function rowOf(line: number, value: unknown): Row | undefined {
  const fields = Array.isArray(value) ? { messages: value } : fieldsOf(value);
  const request = { ...fields, ...fieldsOf(fields.request) };
  const given = messagesOf(request);
  const list: unknown = typeof given === 'string' ? parsedJson(given) : given;
  if (!Array.isArray(list)) return undefined;
  const told = request.system ?? request.instructions;
  const head = told === undefined || told === null ? [] : [{ role: 'system', content: told }];
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

/** By the first message and the last that the row before asked with: to compare whole requests would take long. */
function goesOn(before: Row, { messages }: Row): boolean {
  const asked = before.messages.findLastIndex((message) => fieldsOf(message).role !== 'assistant');
  const isLonger = messages.length > before.messages.length;
  return isLonger && [0, asked].every((at) => isSame(before.messages[at], messages[at]));
}

function isSame(a: unknown, b: unknown): boolean {
  return a !== undefined && JSON.stringify(a) === JSON.stringify(b);
}
