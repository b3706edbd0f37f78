import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anthropicApi } from '@holdfast/agent';
import { openChat } from '@holdfast/agent/chat';
import { sqlite } from '@holdfast/sessions';
import { conversation, createStandIn } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { failureText } from './failure-text.ts';
import { savedSession } from './welcome.ts';

test('a deleted session is reported with a way out, and not offered for resuming', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-deleted-'));
  const store = await sqlite(join(folder, 'sessions.db'));
  const standIn = await createStandIn({ script: conversation() });
  onTestFinished(async () => {
    await Promise.all([store.close(), standIn.close()]);
    rmSync(folder, { recursive: true });
  });
  const model = 'claude-sonnet-5';
  const provider = anthropicApi({ base_url: standIn.url, api_key: 'none', model });
  const chat = await openChat({ store, speaker: { provider, name: 'anthropic-api', model } });
  const early = await chat.fork().catch((error: unknown) => error);
  expect(failureText(early)).toBe('nothing has been said yet: there is nothing to fork');
  await chat.say('hello');
  expect(await savedSession(chat)).toBe(chat.session);
  await store.delete(chat.session ?? '');
  for (const prompt of ['again', 'and again']) {
    const failure = await chat.say(prompt).catch((error: unknown) => error);
    expect(failureText(failure)).toMatch(
      /^this session was deleted from outside .*: \/exit leaves, and holdfast chat starts/,
    );
  }
  expect(await savedSession(chat)).toBeUndefined();
});
