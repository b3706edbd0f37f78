import { describe, expect, test } from 'vitest';
import { ConversationWindow } from '../src/index.ts';
import { maskSecrets } from '../src/secrets/secrets.ts';
import { toolTurn } from './agent-histories.ts';
import { say, type Wire } from './histories.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** So many letters and digits, the same each time, with all kinds among the first. */
function body(length: number, seed: number, of = ALPHABET): string {
  let state = seed;
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return of.charAt(Math.floor((state / 2 ** 32) * of.length));
  };
  return `aZ9k${Array.from({ length: length - 4 }, next).join('')}`;
}

/** Made here, so that nobody takes them for real ones: what precedes each body, and the body. */
const KEYS: Readonly<Record<string, readonly [prefix: string, body: string]>> = {
  Anthropic: ['sk-ant-api03-', `${body(40, 1)}_${body(30, 2)}-${body(20, 3)}AA`],
  OpenAI: ['sk-proj-', `${body(40, 4)}T3BlbkFJ${body(40, 5)}`],
  Slack: ['xoxb-', `123456789012-987654321098-${body(24, 6)}`],
  Bearer: ['Authorization: Bearer ', body(40, 7)],
  Basic: ['Authorization: Basic ', `${body(30, 8)}==`],
  xAI: ['xai-', body(80, 9)],
  Azure: ['AccountKey=', `${body(40, 10)}+${body(20, 11)}/${body(20, 12)}==`],
  'Azure app': ['', `abc8Q~${body(34, 13)}`],
  PyPI: ['pypi-AgEIcHlwaS5vcmc', body(120, 14)],
  npm: ['npm_', body(36, 15)],
  GitHub: ['ghp_', body(36, 16)],
  'GitHub, fine-grained': ['github_pat_', `${body(22, 17)}_${body(59, 18)}`],
  Google: ['AIza', body(35, 19)],
  AWS: ['aws_secret_access_key = ', `${body(18, 20)}/${body(20, 21)}`],
  Stripe: ['sk_live_', body(40, 22)],
  'Hugging Face': ['hf_', body(34, 23)],
  Telegram: ['https://api.telegram.org/bot123456789:AA', body(33, 27)],
  'Notion, before 2024': ['secret_', body(43, 28)],
  JWT: ['eyJhbGciOiJSUzI1NiJ9.', `eyJ${body(60, 24)}.${body(80, 25)}`],
  cookie: ['Set-Cookie: session_id=', `${body(40, 26)}; Path=/; HttpOnly`],
};

const WRITTEN: Readonly<Record<string, (key: string) => Wire[]>> = {
  'in a result': (key) =>
    toolTurn('openai-chat', 'r', { name: 'bash', input: { command: 'env' }, result: `+ ${key}\n` }),
  'in JSON': (key) => toolTurn('openai-chat', 'r', { result: JSON.stringify({ line: key }, undefined, 2) }),
  'in arguments': (key) => toolTurn('openai-chat', 'r', { input: { header: key, path: 'src/a.ts' }, result: 'ok' }),
  'in a command': (key) =>
    toolTurn('openai-chat', 'r', {
      name: 'bash',
      input: { command: `curl -H '${key}' https://a.example` },
      result: '',
    }),
  'in words': (key) => [
    say('openai-chat', 'user', `Use this from now on: ${key}`),
    say('openai-chat', 'assistant', 'Yes'),
  ],
};

describe.each(Object.entries(KEYS))('no part of a key is among the names of a note: %s', (_, [prefix, own]) => {
  test.each(Object.entries(WRITTEN))('%s', async (_, write) => {
    const secret = own.replace(/;.*/, '');
    const parts = secret.split(/[^A-Za-z\d]+/).filter((part) => part.length >= 8);
    const history: Wire[] = [say('openai-chat', 'user', 'Deploy it.')];
    const other = (i: number) =>
      toolTurn('openai-chat', `o${i}`, { result: `fooBar_${i} uses ${parts[0]} here\n`.repeat(9) });
    // Twice with its prefix, so that it counts, then only its body.
    history.push(...write(prefix + own), ...write(`${prefix}${own}`).map((one) => retold(one)));
    for (let i = 0; i < 12; i++) history.push(...other(i));
    const window = new ConversationWindow<Wire>({ max_messages: 12 });
    const { messages, note = 0, receipt } = await window.fit([...history, say('openai-chat', 'user', 'Go on.')]);
    expect(receipt).toBeDefined();
    const text = String(messages[note]?.content);
    expect(text).toContain('fooBar_');
    for (const part of parts)
      for (let at = 0; at + 8 <= part.length; at += 4) expect(text).not.toContain(part.slice(at, at + 8));
  });
});

/** The same message with other ids. */
function retold(message: Wire): Wire {
  return JSON.parse(JSON.stringify(message).replaceAll('"r"', '"again"'));
}

test.each([
  [
    'Set-Cookie: sid=s3cr3tvalue; Path=/; Max-Age=3600; HttpOnly',
    'Set-Cookie: sid=[masked]; Path=/; Max-Age=3600; HttpOnly',
  ],
  ['< set-cookie: a.b=abc', '< set-cookie: a.b=***'],
  ['Cookie: theme=blue; csrftoken=abcdefghij', 'Cookie: theme=***; csrftoken=[masked]'],
  ['{"set-cookie": ["sid=abcdefghij; Secure"]}', '{"set-cookie": ["sid=[masked]; Secure"]}'],
  ['document.cookie = "sid=abcdefghij"', 'document.cookie = "sid=[masked]"'],
  ['const cookie = parse(header);', 'const cookie = parse(header);'],
])('%s', (text, masked) => {
  expect(maskSecrets(text)).toBe(masked);
  expect(maskSecrets(masked)).toBe(masked);
});

test('a shortened result does not name keys of its hidden part', async () => {
  const key = body(80, 30);
  const lines = (i: number) => `${`line ${i} of fooBar_log\n`.repeat(200)}`;
  const result = `${lines(1)}${`using xai-${key}\n`.repeat(9)}${lines(2)}`;
  const window = new ConversationWindow<Wire>({ max_tokens: 2_000, max_messages: 0 });
  const { messages } = await window.fit([
    say('openai-chat', 'user', 'Deploy it.'),
    ...toolTurn('openai-chat', 'r', { name: 'bash', input: { command: 'cat log' }, result }),
  ]);
  expect(JSON.stringify(messages)).toContain('it names: fooBar_log');
  expect(JSON.stringify(messages)).not.toContain(key);
});
