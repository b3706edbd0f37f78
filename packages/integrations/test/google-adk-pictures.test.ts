import { FunctionTool, Gemini, InMemorySessionService, LlmAgent, LogLevel, Runner, setLogLevel } from '@google/adk';
import { createStandIn, type RecordedRequest } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type HoldfastEvent, holdfast } from '../src/google-adk/index.ts';
import { fileAt, promptTokens, RECALL_TASK, readTask, scriptedModel, sentMessages } from './scripted.ts';

setLogLevel(LogLevel.ERROR);

const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==';
/** How a shortened message names its original. */
const IMAGE_HANDLE = /1 image: recall (m\d+@[0-9a-z]{13})/;
const BUDGET = 8_000;

class LocalGemini extends Gemini {
  readonly #url: string;
  constructor(url: string) {
    super({ model: 'gemini-3.8-flash', apiKey: 'none' });
    this.#url = url;
  }
  protected override getHttpOptions() {
    return { ...super.getHttpOptions(), baseUrl: this.#url };
  }
}

test('a picture that was folded is shown once after the result of recall, and the conversation continues', async () => {
  const api = await createStandIn({
    keep_bodies: 1_000,
    script(prompt) {
      const { messages } = prompt;
      const text = messages.map((message) => message.text).join('\n');
      const isRecalled = messages.some(({ calls }) => calls.some(({ name }) => name === 'recall'));
      if (!text.includes(RECALL_TASK) || isRecalled) return scriptedModel(prompt);
      return { calls: [{ name: 'recall', input: { handle: IMAGE_HANDLE.exec(text)?.[1] } }] };
    },
  });
  onTestFinished(() => api.close());
  const read_file = new FunctionTool({
    name: 'read_file',
    description: 'Reads a file.',
    parameters: z.object({ path: z.string() }),
    execute: ({ path }) => fileAt(path),
  });
  const events: HoldfastEvent[] = [];
  const plugins = [holdfast({ max_tokens: BUDGET, recall: true, onEvent: (event) => events.push(event) })];
  const sessionService = new InMemorySessionService();
  const place = { userId: 'user', sessionId: 'one' };
  await sessionService.createSession({ appName: 'test', ...place });
  const agent = new LlmAgent({ name: 'reader', model: new LocalGemini(api.url), tools: [read_file] });
  const runner = new Runner({ appName: 'test', agent, sessionService, plugins });
  const ask = async (text: string, image?: string) => {
    const parts = [...(image ? [{ inlineData: { mimeType: 'image/png', data: image } }] : []), { text }];
    const runConfig = { maxLlmCalls: 100 };
    for await (const { errorMessage } of runner.runAsync({ ...place, newMessage: { role: 'user', parts }, runConfig }))
      expect(errorMessage).toBeUndefined();
  };
  await ask(readTask('alpha-1', 4));
  await ask(`${readTask('alpha-2', 20)} ${'Look at the picture, too. '.repeat(60)}`, IMAGE);
  await ask(readTask('alpha-3', 20));
  await ask(RECALL_TASK);
  await ask(readTask('alpha-4', 3));
  const shows = api.requests.map((request) => sentMessages(request).join('\n').includes(IMAGE));
  const recalled = api.requests.findIndex((request) => sentMessages(request).at(-2)?.includes('"name":"recall"'));
  // The request before it, the one with the result, and the one after it.
  expect(shows.slice(recalled - 1, recalled + 2)).toEqual([false, true, false]);
  const [result, picture] = sentMessages(api.requests[recalled] as RecordedRequest).slice(-2);
  expect(result).toContain('[A picture, image/png: it is shown once, after this result.]');
  expect(picture).toContain('The user did not say this');
  expect(api.requests.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
  expect(Math.max(...api.requests.map(promptTokens))).toBeLessThanOrEqual(BUDGET);
  expect(events.map(({ type }) => type)).not.toContain('view-fail');
});
