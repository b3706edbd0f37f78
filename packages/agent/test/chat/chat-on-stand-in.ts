import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SessionStore, type StoreOptions, sqlite } from '@holdfast/sessions';
import type { Prompt, Script, StandIn } from '@holdfast/stand-in';
import type { ConversationHistoryConfig } from 'holdfast';
import { onTestFinished } from 'vitest';
import { type Chat, type ChatSetup, openChat } from '../../src/chat/index.ts';
import { type ApiUnderTest, standing } from '../apis.ts';
import { look } from './look-tool.ts';

/** A store that is deleted after the test; `from`: it starts as a copy of this file. */
export async function keptStore(
  options: StoreOptions = {},
  from?: string,
): Promise<SessionStore & { readonly path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-chat-'));
  const path = join(folder, 'sessions.db');
  if (from !== undefined) copyFileSync(from, path);
  const store = await sqlite(path, options);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return Object.assign(store, { path });
}

/** Answers any prompt in some words; "look N" looks at page N before. */
export const talker: Script = (prompt: Prompt) => {
  const asked = prompt.messages.findLast(
    ({ role, results, text }) => role === 'user' && results.length === 0 && text !== '',
  );
  const page = /look (\d+)/.exec(asked?.text ?? '')?.[1];
  const thinking = 'One thing after the other.';
  if (page !== undefined && prompt.results.length === 0)
    return { text: `Let me look at page ${page}.`, thinking, calls: [{ name: 'look', input: { page: Number(page) } }] };
  return { text: `That was ${asked?.text.slice(0, 40)}.`, thinking };
};

export interface Talk {
  readonly standIn: StandIn;
  readonly store: SessionStore;
  /** Opens the session again, or a new one. */
  open(session?: string, more?: Partial<ChatSetup>): Promise<Chat>;
  /** Bodies of all requests for an answer. */
  sent(): Record<string, unknown>[];
}

/** A stand-in, a store, and chats between them. */
export async function talkOf(
  api: ApiUnderTest,
  conversation: ConversationHistoryConfig,
  more: { readonly script?: Script; readonly store?: SessionStore; readonly model?: string } = {},
): Promise<Talk> {
  const standIn = await standing({ script: more.script ?? talker, keep_bodies: 10_000, secret: 'one for all' });
  const store = more.store ?? (await keptStore());
  const model = more.model ?? api.models[0];
  return {
    standIn,
    store,
    open: (session, also = {}) =>
      openChat({
        store,
        speaker: { provider: api.provider(standIn, { model, ask_window: false }), name: api.name, model },
        system: 'Be brief.',
        tools: [look],
        conversation,
        options: { thinking: true },
        ...(session === undefined ? {} : { session }),
        ...also,
      }),
    sent: () =>
      standIn.requests
        .filter(({ path, verdict }) => verdict === 'answered' && !path.includes('count'))
        .map(({ body }) => body as Record<string, unknown>),
  };
}
