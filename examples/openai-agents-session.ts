import { type Agent, OpenAIProvider, Runner, type Session } from '@openai/agents';
import { ConversationWindow } from 'holdfast';
import type OpenAI from 'openai';
import { fromResponses, type Item, toResponses } from './openai-agents-items.ts';

export function agentWithin(client: OpenAI, agent: Agent, session: Session) {
  const window = new ConversationWindow<Item>({ max_tokens: 40_000, max_messages: 0 }, { dialect: 'openai-responses' });
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: client }),
    modelSettings: { store: false, providerData: { include: ['reasoning.encrypted_content'] } },
    callModelInputFilter: async ({ modelData }) => {
      const { messages } = await window.fit(modelData.input.map(toResponses)); // the session's items and the new ones
      return { ...modelData, input: messages.map(fromResponses) };
    },
  });
  return async (input: string) => {
    const result = await runner.run(agent, input, { session, maxTurns: 100 });
    window.observe(result.rawResponses.at(-1)?.usage);
    return result.finalOutput;
  };
}
