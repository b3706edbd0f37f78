import { anthropicApi } from '@holdfast/agent';
import { openChat } from '@holdfast/agent/chat';
import { sqlite } from '@holdfast/sessions';

/** Sends one prompt in an existing or new session, as a short-lived process would. Returns the answer and the session. */
export async function sayOnce(path: string, base_url: string, prompt: string, session?: string) {
  const model = 'claude-sonnet-5';
  const store = await sqlite(path, { mask_keys: true });
  const chat = await openChat({
    store,
    ...(session === undefined ? {} : { session }),
    speaker: { provider: anthropicApi({ base_url, api_key: 'none', model }), name: 'anthropic-api', model },
  });
  const { output } = await chat.say(prompt);
  const answered = { output, session: chat.session, restored: chat.restored };
  await store.close();
  return answered;
}
