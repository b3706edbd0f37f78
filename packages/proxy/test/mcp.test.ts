import { PassThrough } from 'node:stream';
import { type SessionStore, sqlite } from '@holdfast/sessions';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, onTestFinished, test } from 'vitest';
import { handleMcp, serveStdio } from '../src/mcp/index.ts';
import { runProxy, runUpstream } from './running.ts';

const ID = 'k3v9abcdefghj';
const OUTPUT = 'a\r\n\u001b[31mred\u001b[0m\n\n';
const LONG = Array.from({ length: 3_000 }, (_, i) => `step ${i + 1}: compiled unit_${i + 1}.ts`).join('\n');

async function storeWith(id = ID): Promise<SessionStore> {
  const store = await sqlite(':memory:');
  onTestFinished(() => store.close());
  const result = (tool_use_id: string, content: string) => ({ type: 'tool_result', tool_use_id, content });
  const use = (name: string) => ({ type: 'tool_use', id: name, name, input: {} });
  for (const session of [`0123456789abcdef-${id}`, 'fedcba9876543210-zzzzzzzzzzzzz']) {
    await store.create({ id: session });
    await store.append(
      session,
      [
        { type: 'model', provider: 'proxy', model: 'claude-opus-5', dialect: 'anthropic' },
        { type: 'message', message: { role: 'user', content: `Mend the parser of ${session}` } },
        { type: 'message', message: { role: 'assistant', content: [use('ls'), use('make')] } },
        { type: 'message', message: { role: 'user', content: [result('ls', OUTPUT), result('make', LONG)] } },
      ],
      0,
    );
  }
  return store;
}

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

async function overHttp(store: SessionStore): Promise<Client> {
  const { url } = await runUpstream();
  const proxy = await runProxy(url, { mcp: handleMcp(store) });
  return connected(new StreamableHTTPClientTransport(new URL(`${proxy.url}/mcp`)) as Transport);
}

/** A client on a pair of streams, as if the server were another process. */
async function overStdio(store: SessionStore): Promise<Client> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(store, input, output);
  const buffer = new ReadBuffer();
  const transport: Transport = {
    start: async () => {
      output.on('data', (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message; message = buffer.readMessage())
          transport.onmessage?.(message);
      });
    },
    send: async (message) => void input.write(serializeMessage(message)),
    close: async () => {
      input.end();
      await served;
    },
  };
  return connected(transport);
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  return { texts: (content as { text: string }[]).map(({ text }) => text), isError };
}

test.each([
  ['streamable HTTP', overHttp, ['recall', 'search']],
  ['stdio', overStdio, ['recall', 'search', 'list']],
])('%s: originals come back byte for byte, marked as a record', async (_, connect, names) => {
  const client = await connect(await storeWith());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(names);
  expect(tools.every(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true)).toBe(true);
  const { texts, isError } = await call(client, 'recall', { handle: `m2.0@${ID}` });
  expect(texts).toEqual([expect.stringMatching(/^Record .* not as instructions/), OUTPUT]);
  expect(isError).toBe(false);
});

test('over stdio all sessions can be listed, searched and recalled; over HTTP only those whose id is known', async () => {
  const store = await storeWith();
  await store.create({ id: 'a-chat' });
  const said = { role: 'user', content: 'We ship on Thursdays, never on Fridays.' };
  await store.append('a-chat', [{ type: 'message', message: said }], 0);
  const own = await overStdio(store);
  expect((await call(own, 'list', {})).texts[1]).toMatch(/^a-chat {2}.* chat {2}1 messages/m);
  expect((await call(own, 'search', { words: 'Fridays' })).texts[1]).toMatch(/^\[m0@a-chat\]\nWe ship on Thursdays/);
  expect((await call(own, 'search', { words: 'Mend', limit: 1 })).texts[1]).toMatch(/^\[m0@\w+-\w+\]/);
  expect((await call(own, 'search', { words: 'Fridays', conversation: 'a-chat' })).texts[1]).toContain('m0@a-chat');
  expect((await call(own, 'recall', { handle: 'm0@a-chat' })).texts[1]).toBe(said.content);
  const [, handle] = /\[(.*)\]/.exec((await call(own, 'search', { words: 'Mend', limit: 1 })).texts[1] ?? '') ?? [];
  expect((await call(own, 'recall', { handle })).texts[1]).toContain('Mend the parser');
  const proxied = await overHttp(store);
  expect((await call(proxied, 'recall', { handle: 'm0@a-chat' })).isError).toBe(true);
  expect((await call(proxied, 'search', { words: 'Fridays' })).isError).toBe(true);
  expect((await call(proxied, 'search', { words: 'Fridays', conversation: 'a-chat' })).isError).toBe(true);
});

test('a long result is cut at a line, and line ranges bring back all of it', async () => {
  const client = await overHttp(await storeWith());
  let whole = '';
  for (let from: string | undefined = '1'; from !== undefined; ) {
    const { texts } = await call(client, 'recall', { handle: `m2.1@${ID}`, from_line: Number(from) });
    whole += `${texts[1]}\n`;
    from = /from_line (\d+) shows/.exec(texts[2] ?? '')?.[1];
  }
  expect(whole).toBe(`${LONG}\n`);
  const some = await call(client, 'recall', { handle: `m2.1@${ID}`, from_line: 7, to_line: 8 });
  expect(some.texts.slice(1)).toEqual([
    'step 7: compiled unit_7.ts\nstep 8: compiled unit_8.ts',
    `[m2.1@${ID}: lines 7 to 8 of 3000; from_line 9 shows what follows]`,
  ]);
});

test('a line that is too long for one answer comes back in parts, and no character is cut in two', async () => {
  const line = `{"all":"${'x'.repeat(19_991)}${'😀'.repeat(15_000)}"}`;
  const store = await storeWith();
  await store.append(
    `0123456789abcdef-${ID}`,
    [{ type: 'message', message: { role: 'user', content: `first\n${line}\nlast` } }],
    4,
  );
  const client = await overHttp(store);
  const parts: string[] = [];
  let next: Record<string, number> | undefined = { from_line: 2, to_line: 2 };
  while (next) {
    const { texts } = await call(client, 'recall', { handle: `m3@${ID}`, to_line: 2, ...next });
    parts.push(texts[1] ?? '');
    const [, from_line, from_char] = /from_line (\d+) with from_char (\d+) shows/.exec(texts[2] ?? '') ?? [];
    next = from_char === undefined ? undefined : { from_line: Number(from_line), from_char: Number(from_char) };
  }
  expect(parts.length).toBe(3);
  for (const part of parts) expect(part.isWellFormed()).toBe(true);
  expect(parts.join('')).toBe(line);
});

test('a picture comes back as a picture', async () => {
  const store = await storeWith();
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  const content = [
    { type: 'text', text: 'A red dot.' },
    { type: 'image', source },
  ];
  await store.append(`0123456789abcdef-${ID}`, [{ type: 'message', message: { role: 'user', content } }], 4);
  const client = await overHttp(store);
  const { content: parts } = await client.callTool({ name: 'recall', arguments: { handle: `m3@${ID}` } });
  expect((parts as unknown[]).at(-1)).toEqual({ type: 'image', mimeType: 'image/png', data: source.data });
});

test('search stays in the given conversation', async () => {
  const client = await overHttp(await storeWith());
  const { texts } = await call(client, 'search', { words: 'parser', conversation: ID });
  expect(texts[1]).toBe(`[m0@${ID}]\nMend the parser of 0123456789abcdef-${ID}`);
  const none = await call(client, 'search', { words: 'giraffe', conversation: `m4@${ID}` });
  expect(none.texts).toEqual(['Nothing in this conversation contains giraffe. Try other, fewer or rarer words.']);
});

test('what cannot be found or read is an error that the model can act on', async () => {
  const client = await overHttp(await storeWith());
  const refusal = async (name: string, args: Record<string, unknown>) => {
    const { texts, isError } = await call(client, name, args);
    expect(isError).toBe(true);
    return texts.join();
  };
  expect(await refusal('recall', { handle: 'm2.0@aaaaaaaaaaaaa' })).toMatch(/is not stored here: it expired/);
  expect(await refusal('recall', {})).toBe('handle is missing: pass a text');
  expect(await refusal('recall', { handle: `m0@${ID}`, from_line: 9 })).toMatch(/from_line 9 is past the end/);
  expect(await refusal('recall', { handle: `m0@${ID}`, from_line: 2.5 })).toMatch(
    /invalid from_line: expected a whole/,
  );
  expect(await refusal('recall', { handle: `m0@${ID}`, from_char: 99_999 })).toMatch(/from_char 99999 is past the end/);
  expect(await refusal('recall', { handle: `m0@${ID}`, from_line: 1, to_line: '2' })).toMatch(/invalid to_line/);
  expect(await refusal('recall', { handle: `m2.1@${ID}`, from_line: 9, to_line: 8 })).toMatch(/to_line 8 is before/);
  expect(await refusal('recall', { handle: 'm'.repeat(100_000) })).toMatch(/is not a handle/);
  await expect(call(client, 'forget', {})).rejects.toThrow('unknown tool forget');
  expect(await refusal('search', { words: 'x', conversation: 'all' })).toMatch(/pass what follows @ in a handle/);
});

test('list names every session, last used first, with the id that search takes', async () => {
  const store = await storeWith();
  await store.create({ id: 'mychat', title: 'a plan' });
  const framework = '00000000000000ff-yyyyyyyyyyyyy';
  await store.create({ id: framework });
  await store.append(framework, [{ type: 'model', provider: 'integration', model: 'gpt-6-sol', dialect: 'ai-sdk' }], 0);
  const { texts } = await call(await overStdio(store), 'list', {});
  const lines = (texts[1] ?? '').split('\n');
  expect(lines).toContainEqual(expect.stringMatching(/^mychat .* chat .*a plan$/));
  expect(lines.filter((line) => !line.startsWith('mychat')).join('\n')).toMatch(
    /^yyyyyyyyyyyyy .*gpt-6-sol.*\nzzzzzzzzzzzzz .*3 messages .*\nk3v9abcdefghj .*Mend the parser of 0123456789abcdef-\w+$/,
  );
});
