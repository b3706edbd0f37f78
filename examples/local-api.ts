import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Body, ENDPOINTS } from './local-endpoints.ts';

/** A request that was taken, and what a provider would have counted. */
interface Taken {
  readonly messages: readonly unknown[];
  readonly tokens: number;
  /** How many of its messages are those that the request before it began with. */
  readonly shared: number;
}

/** A strict provider on this machine: what it took and what it refused. */
export interface LocalApi {
  readonly url: string;
  readonly taken: readonly Taken[];
  readonly refused: readonly string[];
  /** Those that did not begin with all of the request before: each costs a cached prefix. */
  rewritten(): readonly Taken[];
  close(): Promise<void>;
}

/**
 * Starts the server. Its model works through the script: each entry is a response, the paths that it asks `read_file`
 * for, or none for a last word. Every request is held to all rules of its API and to `limit` tokens.
 */
export async function startLocalApi(script: readonly (readonly string[])[], limit: number): Promise<LocalApi> {
  const taken: Taken[] = [];
  const refused: string[] = [];
  const handle = (path: string, body: Body): { status: number; body: object } => {
    const endpoint = ENDPOINTS[path];
    const paths = script[taken.length];
    if (!endpoint || !paths) return { status: 404, body: { error: { message: `nothing to say at ${path}` } } };
    const tokens = tokensOf([body.system ?? body.instructions, body.tools, body.messages]);
    const refusal = endpoint.refuse(body, tokens, limit);
    if (refusal) return refusal;
    const shared = sharedStart(taken.at(-1)?.messages ?? [], body.messages);
    taken.push({ messages: body.messages, tokens, shared });
    const cached = shared === 0 ? 0 : tokensOf(body.messages.slice(0, shared));
    return { status: 200, body: endpoint.answer(body, paths, { number: taken.length, tokens, cached }) };
  };
  const server = createServer(async (request, response) => {
    const answer = handle(request.url ?? '', await readBody(request));
    if (answer.status !== 200) refused.push(JSON.stringify(answer.body));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    refused,
    rewritten: () => taken.filter(({ shared }, at) => shared < (taken[at - 1]?.messages.length ?? 0)),
    close: () => new Promise((done) => server.close(() => done())),
  };
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
  return { ...body, messages: body.messages ?? body.input };
}

function tokensOf(prompt: unknown): number {
  return Math.ceil(JSON.stringify(prompt).length / 3.2);
}

function sharedStart(before: readonly unknown[], now: readonly unknown[]): number {
  const at = before.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(now[index]));
  return at < 0 ? before.length : at;
}
