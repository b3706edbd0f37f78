import { isJson } from '../json.ts';
import { missing } from '../openai-body.ts';
import { Refusal } from '../refusal.ts';

/** Checks the calls and ids of messages, whose contents the rules look at. Throws a Refusal. */
export function checkChatShapes(messages: readonly unknown[]): void {
  for (const [index, message] of messages.entries()) {
    if (!isJson(message)) continue;
    const own = `messages[${index}]`;
    const { role, tool_calls: calls, tool_call_id: id } = message;
    if (role === 'tool' && typeof id !== 'string') throw missing(`${own}.tool_call_id`);
    if (calls === undefined || calls === null) continue;
    if (!Array.isArray(calls)) throw wrong(`${own}.tool_calls`, 'an array of objects');
    for (const [at, call] of calls.entries()) checkCall(call, `${own}.tool_calls[${at}]`);
  }
}

function checkCall(call: unknown, own: string): void {
  if (!isJson(call)) throw wrong(own, 'an object');
  const { id, type = 'function' } = call;
  if (typeof id !== 'string') throw missing(`${own}.id`);
  const called = type === 'custom' ? call.custom : call.function;
  const given = type === 'custom' ? 'input' : 'arguments';
  if (!isJson(called)) throw missing(`${own}.${type}`);
  for (const field of ['name', given]) if (typeof called[field] !== 'string') throw missing(`${own}.${type}.${field}`);
}

function wrong(param: string, expected: string): Refusal {
  return new Refusal(400, `Invalid type for '${param}': expected ${expected}.`, { param, code: 'invalid_type' });
}
