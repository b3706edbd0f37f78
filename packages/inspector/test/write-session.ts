import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createRequestRecorder,
  type SessionEntry,
  type SessionStore,
  type StoreOptions,
  sessionArchive,
  sessionWriter,
  sqlite,
  type WireMessage,
} from '@holdfast/sessions';
import { anthropic, ConversationWindow } from 'holdfast';
import { onTestFinished } from 'vitest';

/** A store in a folder that goes with the test. */
export async function newStore(options: StoreOptions = {}): Promise<SessionStore> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-inspector-'));
  const store = await sqlite(join(folder, 'sessions.db'), options);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return store;
}

const BUDGET = 6_000;
const MODEL = 'claude-opus-5-5';

/** A chat of as many calls as asked for: each reads a file and is answered. */
export interface WrittenSession {
  readonly id: string;
  readonly history: readonly WireMessage[];
  readonly views: readonly (readonly WireMessage[])[];
  /** One more call for each number: the size of its result, in lines. */
  say(...lines: readonly number[]): Promise<void>;
  /** Undoes or redoes a fold, as a chat does. */
  travel(way: 'undo' | 'redo'): Promise<boolean>;
  /** Sends a request that gets no answer. */
  ask(): Promise<void>;
  /** Goes back to before a message, and starts over. */
  rewind(to: number): Promise<void>;
  pin(index: number): Promise<void>;
}

const result = (n: number, lines: number) =>
  Array.from({ length: lines }, (_, i) => `export const value_${n}_${i} = load("${n}-${i}");`).join('\n');

interface WriteOptions {
  readonly id?: string;
  readonly budget?: number;
  /** Added to what is said and returned, one for each call. */
  readonly words?: readonly string[];
}

/** Writes a session as a chat does: messages, folds, requests and usage. */
export async function writeSession(
  store: SessionStore,
  { id, budget = BUDGET, words = [] }: WriteOptions = {},
): Promise<WrittenSession> {
  const info = await store.create(id === undefined ? {} : { id });
  const writer = await sessionWriter(store, info.id);
  const recorder = createRequestRecorder(store, info.id);
  const dialect = anthropic<WireMessage>();
  const archive = sessionArchive<WireMessage>(store, writer, dialect);
  const open = () => new ConversationWindow<WireMessage>({ max_tokens: budget, max_messages: 0 }, { dialect, archive });
  let window = open();
  const history: WireMessage[] = [];
  const views: WireMessage[][] = [];
  const append = async (...entries: readonly SessionEntry[]) =>
    recorder.appended(entries, await writer.append(entries));
  const add = async (message: WireMessage) => {
    history.push(message);
    await append({ type: 'message', message });
  };
  await append({
    type: 'model',
    provider: 'anthropic-api',
    model: MODEL,
    dialect: 'anthropic',
    folder: '/home/you/shop',
  });
  await add({ role: 'user', content: 'Find out why the login fails, and mend it.' });
  const call = async (n: number, lines: number) => {
    const { messages, metrics, receipt } = await window.fit(history);
    const { log, revisions, calibration } = window.state();
    const fold = log.at(-1);
    if (receipt && fold) await append({ type: 'fold', fold, receipt, ...(revisions.length > 0 ? { revisions } : {}) });
    const request = await recorder.sent(writer, JSON.stringify({ model: MODEL, max_tokens: 100, messages }));
    views.push(messages);
    const seen = history.length;
    const { estimatedTokens, historyTokens } = metrics;
    await add({
      role: 'assistant',
      content: [
        { type: 'text', text: `I look at file ${n}. ${words[n] ?? ''}`.trim() },
        { type: 'tool_use', id: `c${n}`, name: 'Read', input: { file_path: `src/f${n}.ts` } },
      ],
    });
    await append({
      type: 'usage',
      tokens: { input: 10, output: 50, cacheRead: Math.max(0, estimatedTokens - 500), cacheWrite: 490 },
      cost: 0.01,
      model: MODEL,
      request,
      window: { seen, sent: messages.length, calibration, historyTokens, max: { tokens: budget } },
    });
    await add({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: `c${n}`, content: [result(n, lines), ...words.slice(n, n + 1)].join('\n') },
      ],
    });
  };
  let calls = 0;
  return {
    id: info.id,
    history,
    views,
    async say(...lines) {
      for (const count of lines) await call(calls++, count);
    },
    async ask() {
      await recorder.sent(writer, JSON.stringify({ model: MODEL, max_tokens: 100, messages: history }));
    },
    async travel(way) {
      const receipt = await window[way]();
      if (!receipt) return false;
      const { seen, turns, hold } = window.state();
      await append({
        type: way === 'undo' ? 'unfold' : 'refold',
        receipt,
        seen,
        turns,
        ...(hold ? { hold } : {}),
      });
      return true;
    },
    async rewind(to) {
      history.length = to;
      window = open();
      await append({ type: 'rewind', to, folds: 0 });
    },
    async pin(index) {
      window.pin(index);
      await append({ type: 'pin', index });
    },
  };
}
