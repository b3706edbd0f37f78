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
const maybe = (random: Random, of: number, ...lines: readonly string[]) => (random(of) === 0 ? lines : []);

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
const AUTHS = [
  'Bearer',
  'Bearer ',
  'Bearer x',
  'bearer  a-token-of-some-length',
  'Basic YTpi',
  'Basic',
  '\xff',
  'a'.repeat(9_000),
  'Bearer a-token-of-some-lengthx',
  'Bearer a-token-of-some-lengt',
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

/** A request as bytes with something odd in it: one or two of its parts, as a rule, so that the others let it come so far. */
export function oddRequest(random: Random): Buffer {
  const part = <T>(odd: readonly T[], plain: T): T => (random(4) === 0 ? one(random, odd) : plain);
  const body = one(random, BODIES);
  const [length, sent] = part(LENGTHS, measured)(body);
  const type = part(TYPES, 'application/json');
  const head = [
    `${part(METHODS, one(random, ['GET', 'POST', 'POST']))} ${part(PATHS, one(random, KNOWN))} ${random(12) === 0 ? one(random, VERSIONS) : 'HTTP/1.1'}`,
    part(HOSTS, 'host: 127.0.0.1'),
    ...(type === '' ? [] : [`content-type: ${type}`]),
    length,
    ...maybe(random, 5, `last-event-id: ${one(random, LAST_IDS)}`),
    ...maybe(random, 5, `authorization: ${one(random, AUTHS)}`),
    ...maybe(random, 6, `sec-fetch-site: ${one(random, SITES)}`, `origin: ${one(random, ORIGINS)}`),
    ...maybe(random, 4, one(random, MORE)),
    'connection: close',
  ].filter((line) => line !== '');
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${sent}`, 'latin1');
}
