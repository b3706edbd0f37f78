import { TOKEN } from './serving.ts';

/** Numbers below a bound, the same each time. */
export type Random = (below: number) => number;

/** A generator with a seed. */
export function numbers(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const one = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;

const METHODS = [
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'HEAD',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'M-SEARCH',
  'QUERY',
  'post',
  'FOO',
  'PRI',
  'G\0T',
  '',
  'A'.repeat(5_000),
  'GET GET',
];
const KNOWN = [
  '/api/crew',
  '/api/crew',
  '/api/crew/stream',
  '/api/crew/stream',
  '/api/sessions',
  '/api/sessions/x',
  '/api/sessions/x/messages',
  '/health',
  '/ready',
  '/metrics',
  '/openapi.json',
  '/',
  '/api/crew?x=1',
];
const PATHS = [
  '/api/crew/',
  '/api',
  '/nothing',
  '*',
  '',
  '/%',
  '/%00',
  '/%zz',
  '/api/sessions/%E0%A4%A',
  '/api/sessions/%ff',
  '/api/sessions/..',
  '//api/crew',
  '/api/../health',
  '/api/sessions?limit=-1',
  '/api/sessions?limit=9999999999',
  '/api/sessions?limit=1&limit=x',
  '/api/sessions/x/messages?from=1e9',
  '/api/sessions/x/messages?from=%00',
  'http://evil.example/api/crew',
  'http://127.0.0.1/health',
  'evil.example:80',
  '/a b',
  '/\x01',
  '/ü',
  '/api\\crew',
  '/#x',
  '/?'.padEnd(9_000, '?'),
  '/'.padEnd(15_000, 'a/'),
  '/'.padEnd(70_000, 'a'),
  '/__proto__',
  '/constructor',
  '/api/sessions/__proto__',
];
const VERSIONS = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1.1', 'http/1.1', ''];
const HOSTS = [
  'host: localhost:1',
  'host: [::1]',
  'HoSt: localhost',
  'host:',
  'host: evil.example',
  'host: 127.0.0.1.evil.example',
  'host: a\r\nhost: b',
  'host: 127.0.0.1\r\nhost: evil.example',
  'host: user@localhost',
  'host: localhost/x',
  '',
];
const TYPES = [
  'application/json;charset=utf-8',
  'application/json; charset=utf-16',
  'Application/JSON',
  'application/json;',
  '',
  'application/json, text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  '*/*',
  'multipart/form-data; boundary=',
  'application/jsonx',
  'application/ json',
  '"application/json"',
  '\xff',
  ';',
  ' application/json ',
  'a/'.padEnd(8_000, 'b'),
  'application/json\r\ncontent-type: text/plain',
];
const LAST_IDS = [
  '',
  'x',
  '-1',
  '0',
  '1:2',
  ':',
  '::',
  `${'0'.repeat(36)}:1`,
  `${'0'.repeat(36)}:`,
  `${'-'.repeat(36)}:999999999`,
  `${'0'.repeat(36)}:1e3`,
  `${'0'.repeat(36)}:-1`,
  '\xff\xfe',
  '__proto__:1',
  'a'.repeat(9_000),
  '%00',
  '1, 2',
];
/** What a request with the token has. */
export const RIGHT_TOKEN = `Bearer ${TOKEN}`;
const AUTHS = [
  'Bearer',
  'Bearer ',
  'Bearer x',
  `bearer  ${TOKEN}`,
  'Basic YTpi',
  'Basic',
  '\xff',
  'a'.repeat(9_000),
  `${RIGHT_TOKEN}x`,
  RIGHT_TOKEN.slice(0, -1),
  'Bearer null',
  'Bearer \t',
  'Digest x="',
  'Bearer x\r\nauthorization: Bearer y',
  '',
];
const SITES = ['cross-site', 'same-site', 'same-origin', 'none', 'x', ''];
const ORIGINS = ['null', 'https://evil.example', 'http://127.0.0.1', '', '*', 'file://', '\xff'];
const BODIES = [
  '{}',
  '{"input":',
  '',
  '[]',
  '{"input":7}',
  '{"input":"x","history":7}',
  '\0',
  '{"id":"../x"}',
  '"x"',
  '\xff\xfe',
];
/** What says how long a body is, and what is sent as the body. */
type Length = (body: string) => readonly [string, string];
const measured: Length = (body) => [`content-length: ${body.length}`, body];
const LENGTHS: readonly Length[] = [
  (body) => [`content-length: ${body.length + 900}`, body],
  (body) => [`content-length: ${Math.max(0, body.length - 1)}`, body],
  (body) => ['content-length: 0', body],
  (body) => ['content-length: -1', body],
  (body) => ['content-length: 1e3', body],
  (body) => ['content-length: 0x10', body],
  (body) => ['content-length: +2', body],
  (body) => ['content-length: 99999999999999999999999', body],
  (body) => ['content-length: 40000000', body],
  (body) => ['content-length: 2, 2', body],
  (body) => ['content-length: 2\r\ncontent-length: 3', body],
  (body) => [`content-length: ${body.length}\r\ntransfer-encoding: chunked`, chunked(body)],
  (body) => ['transfer-encoding: chunked', chunked(body)],
  (body) => ['transfer-encoding: chunked', body],
  () => ['transfer-encoding: chunked', 'zz\r\n'],
  (body) => ['transfer-encoding: chunked', `${body.length.toString(16)};${'x'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`],
  (body) => ['transfer-encoding: chunked', `ffffffffffffffff\r\n${body}`],
  (body) => ['transfer-encoding: chunked', `${chunked(body).slice(0, -2)}x: ${'y'.repeat(20_000)}\r\n\r\n`],
  (body) => ['transfer-encoding: chunked, chunked', chunked(body)],
  (body) => ['transfer-encoding: gzip, chunked', chunked(body)],
  (body) => ['transfer-encoding: gzip', body],
  (body) => ['transfer-encoding: identity', body],
  (body) => ['transfer-encoding: xchunked', body],
  (body) => ['transfer-encoding: \tchunked', chunked(body)],
  (body) => ['transfer-encoding: chunked\r\ntransfer-encoding: identity', chunked(body)],
  (body) => ['', body],
];
const MORE = [
  'x: y',
  'expect: 100-continue',
  'expect: a miracle',
  'connection: upgrade\r\nupgrade: websocket',
  'upgrade: h2c',
  'content-encoding: gzip',
  'content-encoding: br',
  'accept: text/html',
  'accept-encoding: nonsense',
  'range: bytes=0-1',
  'connection: keep-alive, close',
  'te: trailers',
  'cookie: a=b; c',
  'x-forwarded-for: 1.2.3.4',
  'via: x',
  'if-match: *',
  'access-control-request-method: POST',
  ': no name',
  'no colon',
  'bad name: x',
  'x\0: y',
  'x: a\0b',
  ' folded',
  'x:\r\n\ty',
  'é: y',
  '__proto__: x',
  'constructor: x',
  `x: ${'b'.repeat(20_000)}`,
  'x'.repeat(20_000),
  `${'x: y\r\n'.repeat(3_000)}x: y`,
  `${'x: y\r\n'.repeat(150)}x: y`,
  'x: y\n y',
  'x: y\rz: a',
];

function chunked(body: string): string {
  return body === '' ? '0\r\n\r\n' : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly version: string;
  readonly host: string;
  readonly type: string;
  readonly body: string;
  readonly length: Length;
  readonly lastId?: string;
  readonly auth: string;
  readonly site?: string;
  readonly origin?: string;
  readonly more: string;
}

const PLAIN: Request = {
  method: 'POST',
  path: '/api/crew',
  version: 'HTTP/1.1',
  host: 'host: 127.0.0.1',
  type: 'application/json',
  body: '{}',
  length: measured,
  auth: RIGHT_TOKEN,
  more: '',
};

/** Wrong values for each part of a request. */
const WRONG: { readonly [part in keyof Request]-?: readonly Required<Request>[part][] } = {
  method: METHODS,
  path: PATHS,
  version: VERSIONS,
  host: HOSTS,
  type: TYPES,
  body: BODIES,
  length: LENGTHS,
  lastId: LAST_IDS,
  auth: AUTHS,
  site: SITES,
  origin: ORIGINS,
  more: MORE,
};

/** Each wrong part once, in an otherwise valid request. */
export function requestsWithOneWrongPart(): Buffer[] {
  return Object.entries(WRONG).flatMap(([part, all]) => all.map((wrong) => bytesOf({ ...PLAIN, [part]: wrong })));
}

/** A request with usually one or two wrong parts, so that the valid ones get it past the first checks. */
export function malformedRequest(random: Random): Buffer {
  const part = <T>(wrong: readonly T[], plain: T, of = 4): T => (random(of) === 0 ? one(random, wrong) : plain);
  return bytesOf({
    method: part(METHODS, one(random, ['GET', 'POST', 'POST'])),
    path: part(PATHS, one(random, KNOWN)),
    version: part(VERSIONS, PLAIN.version, 12),
    host: part(HOSTS, PLAIN.host),
    type: part(TYPES, PLAIN.type),
    body: one(random, BODIES),
    length: part(LENGTHS, measured),
    ...(random(5) === 0 ? { lastId: one(random, LAST_IDS) } : {}),
    auth: part(AUTHS, PLAIN.auth, 8),
    ...(random(6) === 0 ? { site: one(random, SITES), origin: one(random, ORIGINS) } : {}),
    more: part(MORE, ''),
  });
}

function bytesOf({
  method,
  path,
  version,
  host,
  type,
  body,
  length,
  lastId,
  auth,
  site,
  origin,
  more,
}: Request): Buffer {
  const [lengthLine, sent] = length(body);
  const head = [
    `${method} ${path} ${version}`,
    host,
    type === '' ? '' : `content-type: ${type}`,
    lengthLine,
    lastId === undefined ? '' : `last-event-id: ${lastId}`,
    `authorization: ${auth}`,
    site === undefined ? '' : `sec-fetch-site: ${site}`,
    origin === undefined ? '' : `origin: ${origin}`,
    more,
    'connection: close',
  ].filter((line) => line !== '');
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${sent}`, 'latin1');
}
