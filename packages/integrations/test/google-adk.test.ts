import {
  FunctionTool,
  Gemini,
  InMemorySessionService,
  LlmAgent,
  LogLevel,
  Runner,
  StreamingMode,
  setLogLevel,
} from '@google/adk';
import { z } from 'zod';
import { holdfast } from '../src/google-adk/index.ts';
import { testFramework } from './framework-conformance.ts';

setLogLevel(LogLevel.ERROR); // it prints every request otherwise

/** A model on another host. */
class LocalGemini extends Gemini {
  readonly #url: string;
  readonly #attempts: number;
  constructor(url: string, retries: number) {
    super({ model: 'gemini-3.8-flash', apiKey: 'none' });
    this.#url = url;
    this.#attempts = retries + 1;
  }
  protected override getHttpOptions() {
    return { ...super.getHttpOptions(), baseUrl: this.#url, retryOptions: { attempts: this.#attempts } };
  }
}

testFramework('@google/adk', {
  pictures: false,
  refusals: 0,
  named: true,
  memory: () => new InMemorySessionService(),
  open({ url, memory, readFile, recall, retries, max_tokens, store, onEvent }) {
    const read_file = new FunctionTool({
      name: 'read_file',
      description: 'Reads a file.',
      parameters: z.object({ path: z.string() }),
      execute: ({ path }) => readFile(path),
    });
    const agent = new LlmAgent({ name: 'reader', model: new LocalGemini(url, retries), tools: [read_file] });
    const plugins = [holdfast({ max_tokens, onEvent, recall, ...(store ? { store } : {}) })];
    const runner = new Runner({ appName: 'test', agent, sessionService: memory, plugins });
    return {
      async ask(conversation, text, { image, stream = false, signal } = {}) {
        const place = { appName: 'test', userId: 'user', sessionId: conversation };
        if (!(await memory.getSession(place))) await memory.createSession(place);
        const picture = image ? [{ inlineData: { mimeType: 'image/png', data: image } }] : [];
        const events = runner.runAsync({
          userId: 'user',
          sessionId: conversation,
          newMessage: { role: 'user', parts: [...picture, { text }] },
          ...(signal ? { abortSignal: signal } : {}),
          runConfig: { maxLlmCalls: 500, ...(stream ? { streamingMode: StreamingMode.SSE } : {}) },
        });
        const pieces: string[] = [];
        let answer = '';
        for await (const event of events) {
          if (event.errorMessage) throw new Error(event.errorMessage);
          const said = (event.content?.parts ?? []).map((part) => (part.thought ? '' : (part.text ?? ''))).join('');
          if (event.partial) pieces.push(said);
          else answer = said;
        }
        return { text: answer, parts: Math.max(1, pieces.filter((piece) => piece !== '').length) };
      },
    };
  },
  async remembered(memory, conversation) {
    const session = await memory.getSession({ appName: 'test', userId: 'user', sessionId: conversation });
    return JSON.stringify(session?.events);
  },
});
