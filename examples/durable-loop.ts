import { type Conversation, openConversations, sqlite } from '@holdfast/sessions';

type Message = { role: string; content: unknown };
type Answer = { message: Message; results?: Message; usage: object };

/** The conversation of this id, as whichever process used it last left it. */
export async function openTalk(path: string, id: string): Promise<Conversation<Message>> {
  const store = await sqlite(path);
  const conversations = openConversations<Message>({ store, dialect: 'anthropic', max_tokens: 20_000 });
  return conversations.open(id);
}

/** One prompt, with all tool calls that follow. The log is the history: nothing is sent that is not on disk. */
export async function ask(
  conversation: Conversation<Message>,
  prompt: string,
  send: (messages: Message[]) => Promise<Answer>,
): Promise<Message> {
  await conversation.add([{ role: 'user', content: prompt }]);
  for (;;) {
    const { messages } = await conversation.view(); // valid, within budget, same prefix as last time
    const { message, results, usage } = await send(messages);
    await conversation.add([message]);
    await conversation.answered(usage); // makes token counts exact, and keeps the costs
    if (!results) return message;
    await conversation.add([results]);
  }
}

/** The same if your program keeps the history: pass all of it, and only what is new is written. */
export async function askWith(
  conversation: Conversation<Message>,
  history: Message[],
  send: (messages: Message[]) => Promise<Answer>,
): Promise<Message> {
  for (;;) {
    const { messages } = await conversation.fit(history);
    const { message, results, usage } = await send(messages);
    await conversation.answered(usage);
    history.push(message);
    if (!results) return message;
    history.push(results);
  }
}
