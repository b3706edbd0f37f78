import { sessionArchive, sessionWriter, sqlite, verifySession, type WireMessage } from '@holdfast/sessions';
import { ConversationWindow, openaiChat } from 'holdfast';

/** Holds a conversation that loses nothing, whenever the process ends. Returns what `verifySession` found. */
export async function keptTalk(path: string, answer: (view: readonly WireMessage[]) => Promise<WireMessage>) {
  const store = await sqlite(path, { mask_keys: true });
  const { id } = await store.create();
  const writer = await sessionWriter(store, id);
  const dialect = openaiChat<WireMessage>();
  await writer.append([{ type: 'model', provider: 'openai-api', model: 'gpt-6-sol', dialect: 'openai-chat' }]);

  const archive = sessionArchive<WireMessage>(store, writer, dialect);
  const window = new ConversationWindow<WireMessage>({ max_tokens: 2_000 }, { dialect, archive });
  const history: WireMessage[] = [];
  const say = async (message: WireMessage) => {
    await writer.append([{ type: 'message', message }]); // on disk before anything else happens
    history.push(message);
  };

  for (let turn = 1; turn <= 40; turn++) {
    await say({ role: 'user', content: `Question ${turn} about ${'the parser '.repeat(30)}` });
    const { messages, receipt } = await window.fit(history);
    const { log, eras } = window.state();
    const fold = log.at(-1);
    if (receipt && fold) await writer.append([{ type: 'fold', fold, receipt, eras }]);
    await say(await answer(messages));
  }

  const verified = await verifySession(store, id);
  await store.close();
  return verified;
}
