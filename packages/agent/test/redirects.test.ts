import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { APIS, type ApiUnderTest, KEY } from './apis.ts';
import { answerWith, ownServer, STOPS } from './own-server.ts';

const CASES = APIS.flatMap((api) => [301, 302, 303, 307, 308].map((status) => ({ api, status })));

test.each(CASES)('$api.name: a redirect to another host ($status) takes neither key nor words along', async (one) => {
  const { api, status } = one;
  const reached: unknown[] = [];
  const elsewhere = createServer((request, response) => {
    reached.push([request.method, request.url, request.headers]);
    response.end('{}');
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void elsewhere.close());
  const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/v1/x`;
  const server = await ownServer((_, response) => response.writeHead(status, { location }).end());
  const result = await api
    .provider(server, { model: api.models[0], max_retries: 0, count_before_request: false })
    .execute('A secret plan.');
  expect(result).toMatchObject({ success: false, error: expect.stringContaining(`redirects to ${location}`) });
  expect(reached).toEqual([]);
  expect(result.error).not.toContain(KEY);
});

test.each(APIS)('$name: a redirect on the same server is followed with the body', async (api) => {
  const moved = (response: ServerResponse, path: string) =>
    response.writeHead(308, { location: `/moved${path}` }).end();
  const server = await ownServer((_, response, { url = '' }) => {
    if (!url.startsWith('/moved')) return void moved(response, url);
    answerWith(api as ApiUnderTest, response, { text: 'Hello.', stop: STOPS[api.name].end });
  });
  const result = await api.provider(server, { model: api.models[0] }).execute('A secret plan.');
  expect(result).toMatchObject({ success: true });
  expect(JSON.stringify(server.bodies.at(-1))).toContain('A secret plan.');
});
