import {
  type BaseAgent,
  FunctionTool,
  Gemini,
  InMemorySessionService,
  LlmAgent,
  LogLevel,
  ParallelAgent,
  Runner,
  SequentialAgent,
  setLogLevel,
} from '@google/adk';
import { type SessionStore, sqlite } from '@holdfast/sessions';
import { createStandIn, type Script, type StandIn } from '@holdfast/stand-in';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type HoldfastEvent, holdfast } from '../src/google-adk/index.ts';
import { fileAt, promptTokens } from './scripted.ts';

setLogLevel(LogLevel.ERROR);

const FILES = 16;
/** Each agent reads files of its own folder, which is in its instruction. */
const script: Script = ({ system, messages }) => {
  const folder = /Read (\w+)\./.exec(system)?.[1] ?? '';
  const paths = messages.flatMap(({ calls }) => calls.map(({ input }) => String((input as { path?: string }).path)));
  const next = Math.max(0, ...paths.map((path) => Number(path.split('/')[1]))) + 1;
  return next > FILES ? { text: 'Done.' } : { calls: [{ name: 'read_file', input: { path: `${folder}/${next}` } }] };
};

class LocalGemini extends Gemini {
  readonly #url: string;
  constructor(url: string) {
    // A model whose calls have no ids.
    super({ model: 'gemini-2.5-flash', apiKey: 'none' });
    this.#url = url;
  }
  protected override getHttpOptions() {
    return { ...super.getHttpOptions(), baseUrl: this.#url };
  }
}

let api: StandIn;
let store: SessionStore;
beforeEach(async () => {
  api = await createStandIn({ script });
  store = await sqlite(':memory:');
});
afterEach(async () => {
  await api.close();
  await store.close();
});

function readers(folders: readonly string[]) {
  const read_file = new FunctionTool({
    name: 'read_file',
    description: 'Reads a file.',
    parameters: z.object({ path: z.string() }),
    execute: ({ path }) => fileAt(path),
  });
  const model = new LocalGemini(api.url);
  return folders.map((name) => new LlmAgent({ name, model, instruction: `Read ${name}.`, tools: [read_file] }));
}

async function run(agent: BaseAgent): Promise<HoldfastEvent[]> {
  const happened: HoldfastEvent[] = [];
  const plugins = [holdfast({ max_tokens: 8_000, store, onEvent: (event) => happened.push(event) })];
  const sessionService = new InMemorySessionService();
  const place = { userId: 'user', sessionId: 'one' };
  await sessionService.createSession({ appName: 'test', ...place });
  const newMessage = { role: 'user', parts: [{ text: 'Read all files.' }] };
  for await (const { errorMessage } of new Runner({ appName: 'test', agent, sessionService, plugins }).runAsync({
    ...place,
    newMessage,
  }))
    expect(errorMessage).toBeUndefined();
  return happened;
}

test('concurrent agents of one session whose calls have no ids are separate conversations', async () => {
  const folders = ['alpha', 'bravo', 'cargo', 'delta', 'elder'];
  const events = await run(new ParallelAgent({ name: 'all', subAgents: readers(folders) }));
  expect(api.requests.length).toBe(folders.length * (FILES + 1));
  expect(Math.max(...api.requests.map(promptTokens))).toBeLessThanOrEqual(8_000);
  expect((await store.list()).length).toBe(folders.length);
  expect(events.map(({ type }) => type)).not.toContain('view-fail');
  expect(events.length).toBeLessThan(folders.length * (FILES / 3));
});

test("an agent that takes over gets the other's work within budget, although none of it is its own", async () => {
  const events = await run(new SequentialAgent({ name: 'all', subAgents: readers(['alpha', 'bravo']) }));
  expect(api.requests.length).toBe(2 * (FILES + 1));
  expect(Math.max(...api.requests.map(promptTokens))).toBeLessThanOrEqual(8_000);
  expect(events.map(({ type }) => type)).not.toContain('view-fail');
});
