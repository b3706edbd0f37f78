import { anthropicApi, openaiApi, type Provider } from '@holdfast/agent';
import { type Answer, createStandIn, type Prompt, type StandIn, type StandInOptions } from '@holdfast/stand-in';
import { onTestFinished } from 'vitest';
import { CrewExecutor, type CrewInput, type CrewMessage, type CrewParts } from '../src/index.ts';

/** What each agent says: a function of its own request. */
export type Parts = Readonly<Record<string, (prompt: Prompt) => Answer | Promise<Answer>>>;

/** The agent that a request comes from, by its system prompt. */
export function agentOf({ system }: Prompt): string {
  return /^You are ([\w-]+), one of several agents/m.exec(system)?.[1] ?? '';
}

/** The newest text that an agent received. */
export function lastWords({ messages }: Prompt): string {
  return messages.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '';
}

/** A stand-in that plays all agents and goes when the test does. */
export async function crewModel(parts: Parts, options: StandInOptions = {}): Promise<StandIn> {
  const script = (prompt: Prompt) => parts[agentOf(prompt)]?.(prompt) ?? { text: `no part for ${agentOf(prompt)}` };
  const standIn = await createStandIn({ keep_bodies: 1_000, ...options, script });
  onTestFinished(() => standIn.close());
  return standIn;
}

/** Providers of each API on a stand-in. */
export const APIS: Readonly<Record<string, (standIn: StandIn, model?: string) => Provider>> = {
  anthropic: ({ url }, model = 'claude-sonnet-5') =>
    anthropicApi({ base_url: url, api_key: 'test-key', model, max_wait_ms: 3, ask_window: false }),
  'openai-chat': ({ url }, model = 'gpt-5.2') =>
    openaiApi({ base_url: `${url}/v1`, api_key: 'test-key', model, max_wait_ms: 3, ask_window: false }),
  'openai-responses': ({ url }, model = 'gpt-5.2') =>
    openaiApi({
      api: 'responses',
      base_url: `${url}/v1`,
      api_key: 'test-key',
      model,
      max_wait_ms: 3,
      ask_window: false,
    }),
};

/** A crew whose agents are all played by one stand-in. */
export function crewOn(standIn: StandIn, crew: CrewInput, parts: CrewParts = {}, api = 'anthropic'): CrewExecutor {
  const provider = () => (APIS[api] ?? APIS.anthropic)?.(standIn) as Provider;
  return new CrewExecutor(crew, { provider, ...parts });
}

/** A plain conversation of so many messages, the user first. */
export function talk(count: number, chars = 20): CrewMessage[] {
  return Array.from({ length: count }, (_, i) => ({
    role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${i} ${'word '.repeat(Math.ceil(chars / 5))}`.slice(0, Math.max(chars, 4)).trim(),
  }));
}

/** A crew of one that answers at once. */
export const ALONE: CrewInput = { entry: 'clerk', agents: { clerk: { role: 'Answer.', terminal: true } } };
