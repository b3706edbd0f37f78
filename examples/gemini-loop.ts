import type { Content, FunctionDeclaration, GoogleGenAI } from '@google/genai';
import { ConversationWindow } from 'holdfast';

type Run = (name: string, input: unknown) => Promise<string>;

export async function geminiLoop(client: GoogleGenAI, task: string, tools: FunctionDeclaration[], run: Run) {
  const window = new ConversationWindow<Content>({ max_tokens: 40_000 }, { dialect: 'gemini' });
  const history: Content[] = [{ role: 'user', parts: [{ text: task }] }];
  for (;;) {
    const { messages: contents } = await window.fit(history);
    const config = { tools: [{ functionDeclarations: tools }] };
    const response = await client.models.generateContent({ model: 'gemini-3.8-flash', contents, config });
    window.observe(response);
    const { parts = [] } = response.candidates?.[0]?.content ?? {};
    history.push({ role: 'model', parts }); // send signatures back unchanged
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
    if (calls.length === 0) return history;
    const results = calls.map(async ({ id, name = '', args }) => ({
      functionResponse: { ...(id && { id }), name, response: { output: await run(name, args) } },
    }));
    history.push({ role: 'user', parts: await Promise.all(results) }); // all results in one content
  }
}
