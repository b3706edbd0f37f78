import { ConversationWindow } from 'holdfast';

type Message = { role: string; content: unknown };
type Answer = { message: Message; results?: Message; usage: object };

export async function runAgent(task: string, send: (messages: Message[]) => Promise<Answer>): Promise<Message[]> {
  const window = new ConversationWindow<Message>({ max_tokens: 50_000, reserve: 10_000 });
  const history: Message[] = [{ role: 'user', content: task }];
  for (;;) {
    const { messages } = await window.fit(history); // valid, within budget, same prefix as last time
    const { message, results, usage } = await send(messages);
    window.observe(usage); // the provider's own usage object makes token counts exact
    history.push(message);
    if (!results) return history; // your history stays complete
    history.push(results);
  }
}
