import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { type McpServers, parseScope } from '../../src/index.ts';
import { testServer } from './mcp-server.ts';
import { toolsInWorkspace } from './tools-in-workspace.ts';

const SERVER = fileURLToPath(new URL('./mcp-server.ts', import.meta.url));
const stdio = (mode = 'serve', env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [SERVER, mode],
  env,
});

/** The test server over HTTP, for those with the right header. */
async function http(): Promise<{ url: string; requests: IncomingMessage[]; stop(): void }> {
  const requests: IncomingMessage[] = [];
  const server = createServer(async (request, response) => {
    requests.push(request);
    if (request.headers.authorization !== 'Bearer key-12345') {
      response.writeHead(401).end(`no entry with ${request.headers.authorization}`);
      return;
    }
    const transport = new StreamableHTTPServerTransport({});
    // The class says `sessionId: string | undefined`, the interface `sessionId?: string`.
    await testServer().connect(transport as never);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests, stop };
}

async function withServer(kind: 'stdio' | 'http', more: object = {}) {
  const server: McpServers[string] =
    kind === 'stdio' ? stdio() : { url: (await http()).url, headers: { Authorization: 'Bearer key-12345' } };
  return await toolsInWorkspace({
    mcp_servers: { test: { ...server, time_limit_ms: 1_500 } },
    max_output_chars: 2_000,
    ...more,
  });
}

test('a server that redirects to another host gets neither its headers nor a body there', async () => {
  const elsewhere = await http();
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(307, { location: elsewhere.url }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const warned: string[] = [];
  await toolsInWorkspace({
    mcp_servers: { moved: { url, headers: { Authorization: 'Bearer key-12345' } } },
    logger: { warn: (text) => void warned.push(text) },
  }).catch((error: unknown) => warned.push(String(error)));
  expect(elsewhere.requests).toEqual([]);
  expect(warned.join('\n')).toContain(`redirects to ${elsewhere.url}, where nothing was sent`);
});

test.each(['stdio', 'http'] as const)(
  'tools of a server are offered under its name, with the same caps (%s)',
  async (kind) => {
    const place = await withServer(kind);
    expect(place.warnings).toEqual([]);
    const add = place.tools.find((tool) => tool.name === 'test__add');
    expect(add?.input_schema).toMatchObject({ type: 'object', required: ['a', 'b'] });
    expect(await place.call('test__add', { a: 2, b: 3 })).toEqual({ text: '5', isError: false, filesChanged: [] });
    expect(await place.call('test__add', { a: 'two' })).toMatchObject({ isError: true });
    expect(await place.call('test__add', 'two')).toMatchObject({
      isError: true,
      text: 'test__add: wrong input. input: expected an object. Expected { a: number, b: number }.',
    });
    expect(await place.call('test__fail', {})).toMatchObject({ isError: true, text: 'it went wrong' });
    expect((await place.call('test__picture', {})).text).toBe('[image, image/png, 3 bytes, not shown]');
    const much = (await place.call('test__much', {})).text;
    expect(much.length).toBeLessThanOrEqual(2_000);
    expect(much).toMatch(/\[output o1: 100000 bytes in total; recall/);
    expect((await place.call('recall', { handle: 'o1', offset: 50_000, length: 4 })).text).toMatch(/^word\n/);
    expect(await place.call('test__hang', {})).toMatchObject({
      isError: true,
      text: expect.stringMatching(/MCP server "test" failed in hang.*timed out/i),
    });
    expect((await place.call('test__add', { a: 1, b: 1 })).text).toBe('2');
    const odd = place.tools.find((tool) => tool.name.startsWith('test__odd_name'));
    for (const { name } of place.tools) expect(name).toMatch(/^[\w-]{1,64}$/);
    expect((await odd?.call({}))?.text).toBe('odd');
  },
);

test("a server gets its own variables and none of this process's keys", async () => {
  process.env.HOLDFAST_TEST_API_KEY = 'leaked-key';
  onTestFinished(() => void delete process.env.HOLDFAST_TEST_API_KEY);
  const place = await toolsInWorkspace({ mcp_servers: { test: stdio('serve', { SERVER_KEY: 'server-key' }) } });
  const { text } = await place.call('test__environment', {});
  expect(text).toContain('server-key');
  expect(text).not.toContain('leaked-key');
});

test("a server's changes are reported, with those the scope forbids", async () => {
  const place = await withServer('stdio', { scope: parseScope('### Allowed\n- src') });
  const result = await place.call('test__touch', {});
  expect(result).toMatchObject({ isError: false, filesChanged: ['by-server.txt'] });
  expect(result.text).toMatch(/^written\n\[1 file outside the task's scope changed\]\n- by-server.txt/);
});

test("a server's tools are capped, and the warning says what was left out", async () => {
  const place = await toolsInWorkspace({ mcp_servers: { big: stdio('boundless') } });
  const offered = place.tools.filter(({ name }) => name.startsWith('big__'));
  expect(offered).toHaveLength(100);
  expect(offered.find(({ name }) => name === 'big__wordy')?.description).toHaveLength(2_000);
  expect(offered.some(({ name }) => name === 'big__wide')).toBe(false);
  expect(place.warnings).toEqual([
    expect.stringMatching(
      /^MCP server "big" offers too much: 1 tool left out.*schema over 20000 characters \(wide\); 51 tools or more left out: over 100 tools.*\(one_99, one_100, .*…\); 1 description cut at 2000 characters \(wordy\)$/,
    ),
  ]);
});

test('a server that dies causes a warning and an error result; the other tools keep working', async () => {
  const warned: string[] = [];
  const place = await withServer('stdio', { logger: { warn: (message: string) => warned.push(message) } });
  expect(await place.call('test__die', {})).toMatchObject({
    isError: true,
    text: expect.stringMatching(/MCP server "test" ended during the call/),
  });
  expect(await place.call('test__add', { a: 1, b: 1 })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/MCP server "test" has ended/),
  });
  expect(warned).toEqual([expect.stringMatching(/MCP server "test" has ended/)]);
  expect(place.warnings).toEqual(warned);
  expect((await place.call('write_file', { path: 'a', content: '' })).isError).toBe(false);
});

test('a URL that stops answering becomes an error result', async () => {
  const server = await http();
  const place = await toolsInWorkspace({
    mcp_servers: { far: { url: server.url, headers: { Authorization: 'Bearer key-12345' }, time_limit_ms: 2_000 } },
  });
  expect((await place.call('far__add', { a: 1, b: 1 })).text).toBe('2');
  server.stop();
  const result = await place.call('far__add', { a: 1, b: 1 });
  expect(result.isError).toBe(true);
  expect(result.text).toMatch(/MCP server "far" failed in add/);
  expect(result.text).not.toContain('key-12345');
});

test('servers that fail to start cause warnings without keys and do not delay the others', async () => {
  const { url } = await http();
  const place = await toolsInWorkspace({
    mcp_start_limit_ms: 3_000,
    mcp_servers: {
      good: stdio(),
      missing: { command: 'no-such-program-x' },
      complains: stdio('complain', { SERVER_KEY: 'very-secret-key' }),
      silent: stdio('silent'),
      refused: { url, headers: { Authorization: 'Bearer wrong-key-9' } },
      nobody: { url: 'http://127.0.0.1:9/mcp', headers: { 'x-api-key': 'other-key-77' } },
    },
  });
  const names = place.warnings.map((warning) => /MCP server "(\w+)" could not be started/.exec(warning)?.[1]).sort();
  expect(names).toEqual(['complains', 'missing', 'nobody', 'refused', 'silent']);
  expect(place.warnings.find((warning) => warning.includes('complains'))).toMatch(/it said: wrong key \*\*\*/);
  expect(place.warnings.join()).not.toMatch(/very-secret-key|wrong-key-9|other-key-77/);
  expect((await place.call('good__add', { a: 1, b: 2 })).text).toBe('3');
});

test.each([
  [{ 'bad name': { command: 'x' } }, /mcp_servers.bad name/],
  [{ a: { command: 'x', url: 'http://x' } }, /mcp_servers.a: expected \{ command/],
  [{ a: { url: 'ftp://x' } }, /mcp_servers.a/],
  [{ a: {} }, /mcp_servers.a/],
])('configuration %j is refused', async (servers, expected) => {
  await expect(toolsInWorkspace({ mcp_servers: servers as never })).rejects.toThrow(expected);
});
