import { isJson, type Json, listOf, textOf } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';

/** A conversation that the server holds under the id of its latest answer. */
export interface HeldThread {
  /** What the request that created it said; later ones may not say it again. */
  readonly system: unknown;
  readonly tools: unknown;
  readonly messages: readonly unknown[];
  /** Each answer can be continued once. */
  continued: boolean;
}

const BETA = 'message-threads-2026-08-12';
const FIXED = ['system', 'tools'];
const UNSUPPORTED = ['cache_control', 'context_management', 'thinking'];

/** The whole request of a turn that continues a thread; any other request as it is. Throws a Refusal. */
export function resumeThread(value: unknown, betas: readonly string[], state: State): unknown {
  if (!isJson(value) || !isJson(value.thread) || !betas.includes(BETA)) return value;
  const unsupported = UNSUPPORTED.filter((field) => value[field] !== undefined && value[field] !== null);
  if (unsupported.length > 0)
    throw refused(400, `thread: not supported with ${unsupported.join(', ')}`, 'unsupported_request', { unsupported });
  const { type, previous_message_id: id } = value.thread;
  if (type !== 'continue' || typeof id !== 'string') return value;
  const held = state.threads.get(id);
  if (!held) throw refused(404, `thread: no thread found for previous_message_id ${id}`, 'not_found');
  if (held.continued) throw refused(400, `thread: ${id} has already been continued`, 'already_continued');
  const repeated = FIXED.filter((field) => value[field] !== undefined);
  if (repeated.length > 0)
    throw refused(400, `thread: ${repeated.join(', ')} must not be sent again`, 'fingerprint_mismatch');
  const { system, tools, messages } = held;
  return {
    ...value,
    ...(system !== undefined && { system }),
    ...(tools !== undefined && { tools }),
    messages: [...messages, ...listOf(value.messages)],
  };
}

/** Holds the conversation under the id of its answer, if the request asks for that. `value` is the whole request. */
export function holdThread(value: Json, id: string, content: unknown, state: State): void {
  if (!isJson(value.thread)) return;
  const before = state.threads.get(textOf(value.thread.previous_message_id));
  if (before) before.continued = true;
  const messages = [...listOf(value.messages), { role: 'assistant', content }];
  state.threads.set(id, { system: value.system, tools: value.tools, messages, continued: false });
}

/** The codes are documented; the API's texts were not recorded. */
function refused(status: number, message: string, code: string, more: Json = {}): Refusal {
  return new Refusal(status, message, { details: { error_code: `thread_${code}`, ...more } });
}
