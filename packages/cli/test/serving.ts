import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anthropicApi, type Tool } from '@holdfast/agent';
import { CrewExecutor, type CrewInput, createCrewMetrics } from '@holdfast/crew';
import { type SessionStore, sqlite } from '@holdfast/sessions';
import { createStandIn, type Script, type StandIn, type StandInOptions } from '@holdfast/stand-in';
import { type CrewServer, type ServerSetup, startServer } from '../src/serve/server.ts';

/** A crew of one, or of two that hand over. */
export const PAIR: CrewInput = {
  entry: 'lead',
  agents: { lead: { role: 'Lead.', hand_offs: ['clerk'] }, clerk: { role: 'Clerk.', tools: ['look'], terminal: true } },
};

const look: Tool = {
  name: 'look',
  description: 'Looks',
  input_schema: { type: 'object' },
  parallel: true,
  run: () => 'seen',
};

/** The lead hands over; the clerk looks once and answers with what it heard. */
export const PAIR_SCRIPT: Script = ({ system, messages, results }) => {
  if (system.includes('You are lead')) return { text: 'To the clerk. [ROUTE_CLERK]' };
  if (results.length === 0) return { text: 'I look.', calls: [{ name: 'look', input: {} }] };
  const words = messages.find(({ role }) => role === 'user')?.text.split('\n')[0] ?? '';
  return { text: `I have seen it: ${words}` };
};

/** The token of servers in tests. */
export const TOKEN = 'a-token-of-some-length';

/** A request with the token. */
export function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...(init.headers as object) } });
}

export interface Serving {
  readonly server: CrewServer;
  readonly standIn: StandIn;
  readonly store: SessionStore;
  readonly url: string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** A server in this process, with its own stand-in and store. */
export async function serving(
  script: Script = PAIR_SCRIPT,
  options: Partial<ServerSetup> & { readonly crew?: CrewInput; readonly standIn?: StandInOptions } = {},
): Promise<Serving> {
  const { crew = PAIR, standIn: model = {}, ...rest } = options;
  const standIn = await createStandIn({ keep_bodies: 0, ...model, script });
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-serve-'));
  const store = await sqlite(join(folder, 'sessions.db'));
  const metrics = await createCrewMetrics();
  const provider = () =>
    anthropicApi({
      base_url: standIn.url,
      api_key: 'test-key',
      model: 'claude-sonnet-5',
      ask_window: false,
      max_wait_ms: 20,
    });
  const executor = new CrewExecutor(crew, { provider, tools: [look], onEvent: metrics.observe });
  const server = await startServer({
    executor,
    store,
    metrics,
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    rate: 0,
    maxConcurrent: 1_000,
    resumeMs: 300,
    log: (line) => console.error(line),
    ...rest,
  });
  return {
    server,
    standIn,
    store,
    url: server.url,
    post: (path, body, headers = {}) =>
      ask(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async close() {
      await server.close(100);
      await store.close();
      await standIn.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An event of a stream. */
export interface Sent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly [key: string]: unknown };
}

/** Reads a stream of events to its end, or until `enough`. */
export async function readEvents(response: Response, enough: (event: Sent) => boolean = () => false): Promise<Sent[]> {
  const events: Sent[] = [];
  let rest = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return events;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return events;
    rest += value;
    for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, at).split('\n');
      rest = rest.slice(at + 2);
      const of = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      if (of('data') === '') continue;
      const event = { id: of('id'), type: of('event'), data: JSON.parse(of('data')) };
      events.push(event);
      if (!enough(event)) continue;
      await reader.cancel();
      return events;
    }
  }
}

/** Texts that an answer may contain. */
export interface Told {
  readonly history: readonly { readonly role: string; readonly content: string }[];
  readonly pruned: number;
  readonly detail: string;
  readonly errors: readonly unknown[];
  readonly messages: readonly { readonly message: { readonly content: string } }[];
  readonly sessions: readonly unknown[];
}

/** The body of an answer. */
export async function told(answer: Response | Promise<Response>): Promise<Told> {
  return (await (await answer).json()) as Told;
}
