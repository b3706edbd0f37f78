import Anthropic from '@anthropic-ai/sdk';
import { createStandIn, fixedAnswers } from '@holdfast/stand-in';

export async function firstRequests() {
  const standIn = await createStandIn({
    script: fixedAnswers(
      { thinking: 'I should look first.', calls: [{ name: 'read_file', input: { path: 'a.ts' } }] },
      'It says hello.',
    ),
    faults: [undefined, 'overloaded'], // the second request fails once; the client retries it
  });
  const client = new Anthropic({ baseURL: standIn.url, apiKey: 'any' });
  const tools = [{ name: 'read_file', input_schema: { type: 'object' as const } }];
  const ask = (messages: Anthropic.MessageParam[]) =>
    client.messages.create({ model: 'claude-opus-5-5', max_tokens: 1000, tools, messages });

  const task = { role: 'user' as const, content: 'What does a.ts say?' };
  const { content } = await ask([task]);
  const id = content.find((block) => block.type === 'tool_use')?.id ?? '';
  const result = { type: 'tool_result' as const, tool_use_id: id, content: 'hello' };
  const answer = await ask([task, { role: 'assistant', content }, { role: 'user', content: [result] }]);

  await standIn.close();
  return { answer, statuses: standIn.requests.map(({ status }) => status) }; // 200, 529, 200
}
