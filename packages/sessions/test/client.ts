import { createHash } from 'node:crypto';
import { anthropic } from 'holdfast';
import { type AnthropicMessage, validateAnthropic } from 'holdfast/rules';
import {
  type ConversationKind,
  type IncomingHistory,
  openConversations,
  type SessionStore,
  type WireMessage,
} from '../src/index.ts';

const dialect = anthropic<WireMessage>();

/** Tokens that the clients of these tests may send. */
export const BUDGET = 6_000;

/** A client whose model makes a tool call in each step. Results are long; `name` makes its calls different from others. */
export function client(name = 'a', history: WireMessage[] = [{ role: 'user', content: 'Fix the parser.' }]) {
  const step = () => {
    const id = `toolu_${name}_${history.length}`;
    const words = `I look at part ${history.length}.`;
    const input = { path: `src/part-${history.length}.ts` };
    const call = { type: 'tool_use', id, name: 'read_file', input };
    history.push({ role: 'assistant', content: [{ type: 'text', text: words }, call] });
    const lines = Array.from({ length: 40 }, (_, i) => `export const value${history.length}_${i} = '${name}';`);
    history.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: lines.join('\n') }] });
    return history;
  };
  return { name, history, step };
}

/** The history as a client sends it: new objects each time. */
export function incoming(messages: readonly WireMessage[], more: Partial<IncomingHistory<WireMessage>> = {}) {
  return {
    owner: 'anthropic|caller|claude',
    dialect,
    model: 'claude-sonnet-4-5',
    messages: structuredClone(messages) as WireMessage[],
    bounds: { max_tokens: BUDGET, limit: 200_000, reserve: 500 },
    ...more,
  };
}

export function open(store: SessionStore, kind: ConversationKind = 'proxy') {
  return openConversations<WireMessage>({ store, kind });
}

/** The rules of the API that a view breaks. */
export function problemsOf(messages: readonly WireMessage[]) {
  return validateAnthropic(messages as unknown as AnthropicMessage[]).map(({ message }) => message);
}

/** One short line for each message: equal if the bytes are. */
export function digest(messages: readonly WireMessage[]): string[] {
  return messages.map((message) => {
    const text = JSON.stringify(message);
    return `${message.role} ${text.length} ${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
  });
}

/** Handles of single messages in a view, with the places they name. */
export function handlesIn(messages: readonly WireMessage[]): [handle: string, place: number][] {
  const found = JSON.stringify(messages).match(/\bm\d+(?:~\d+)?(?:\.\d+)?@[0-9a-z]{13}\b/g) ?? [];
  return found.map((handle) => [handle, Number(/\d+/.exec(handle)?.[0])]);
}

/** The message that a handle of any conversation names. */
export async function recall(store: SessionStore, handle: string): Promise<WireMessage | undefined> {
  const [name = '', scope = ''] = handle.split('@');
  const session = (await store.list()).find(({ id }) => id.endsWith(`-${scope}`));
  return session && (await store.message(session.id, name.replace(/\.\d+$/, '')))?.message;
}
