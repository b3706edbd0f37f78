import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { timeRatio } from '../../../../scripts/time-ratio.ts';
import { maskSecrets } from './secrets.ts';

/** Numbers below a bound, the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const random = numbers(7);
const some = (length: number, of: string) => Array.from({ length }, () => of.charAt(random(of.length))).join('');
const HEX = '0123456789abcdef';
const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const BASE64 = `${PLAIN}+/`;

/** Generated here, so that they are not mistaken for real ones. */
const KEYS: Readonly<Record<string, string>> = {
  Anthropic: `sk-ant-${'api03'}-${some(93, `${PLAIN}_-`)}AA`,
  'OpenAI project': `sk-${'proj'}-${some(74, `${PLAIN}_-`)}T3BlbkFJ${some(74, `${PLAIN}_-`)}`,
  'OpenAI before': `sk-${some(20, PLAIN)}T3BlbkFJ${some(20, PLAIN)}`,
  OpenRouter: `sk-${'or'}-v1-${some(64, HEX)}`,
  xAI: `xai-${some(80, PLAIN)}`,
  Groq: `gsk_${some(52, PLAIN)}`,
  Perplexity: `pplx-${some(48, PLAIN)}`,
  'Hugging Face': `hf_${some(34, PLAIN)}`,
  Replicate: `r8_${some(37, PLAIN)}`,
  Google: `AIza${some(35, PLAIN)}`,
  'Google OAuth': `ya29.${some(60, PLAIN)}-${some(90, PLAIN)}`,
  'Google client secret': `GOCSPX-${some(28, PLAIN)}`,
  GitHub: `ghp_${some(36, PLAIN)}`,
  'GitHub fine-grained': `github_pat_${some(22, PLAIN)}_${some(59, PLAIN)}`,
  GitLab: `glpat-${some(20, PLAIN)}`,
  'GitLab routable': `glpat-${some(27, PLAIN)}.01.${some(9, 'abcdef0123456789')}`,
  'GitLab runner': `glrt-t1_${some(20, PLAIN)}`,
  'Slack bot': `xoxb-${some(12, DIGITS)}-${some(12, DIGITS)}-${some(24, PLAIN)}`,
  'Slack app': `xapp-1-A${some(10, UPPER)}-${some(13, DIGITS)}-${some(64, HEX)}`,
  Stripe: `sk_${'live'}_${some(24, PLAIN)}9`,
  'Stripe webhook': `whsec_${some(32, PLAIN)}`,
  'Stripe restricted': `rk_${'live'}_${some(24, PLAIN)}9`,
  'AWS id': `AKIA${some(16, UPPER)}`,
  'AWS temporary id': `ASIA${some(16, UPPER)}`,
  'AWS session': `IQoJb3JpZ2luX2Vj${some(800, BASE64)}==`,
  'Azure app': `${some(3, PLAIN)}8Q~${some(34, PLAIN)}`,
  DigitalOcean: `dop_v1_${some(64, HEX)}`,
  Cloudflare: `cfut_${some(48, PLAIN)}`,
  Sentry: `sntryu_${some(64, HEX)}`,
  Telegram: `${some(10, '123456789')}:AA${some(33, PLAIN)}`,
  Twilio: `SK${some(32, HEX)}`,
  SendGrid: `SG.${some(22, PLAIN)}.${some(43, PLAIN)}`,
  npm: `npm_${some(36, PLAIN)}`,
  PyPI: `pypi-AgEIcHlwaS5vcmc${some(150, PLAIN)}`,
  Docker: `dckr_pat_${some(27, PLAIN)}`,
  Databricks: `dapi${some(32, HEX)}`,
  Vault: `hvs.${some(95, PLAIN)}`,
  Linear: `lin_api_${some(40, PLAIN)}`,
  Notion: `ntn_${some(46, PLAIN)}`,
  Shopify: `shpat_${some(32, HEX)}`,
  Supabase: `sbp_${some(40, HEX)}`,
  age: `AGE-SECRET-KEY-1${some(58, UPPER)}`,
  JWT: `eyJhbGciOiJSUzI1NiJ9.eyJ${some(300, PLAIN)}.${some(342, PLAIN)}`,
  JWE: `eyJhbGciOiJkaXIifQ..${some(16, PLAIN)}.${some(100, PLAIN)}.${some(22, PLAIN)}`,
};

describe.each(Object.entries(KEYS))('%s', (_, key) => {
  test.each([
    ['alone', (it: string) => it],
    ['in a sentence', (it: string) => `use ${it} for it`],
    ['in a shell', (it: string) => `export NAME="${it}"`],
    ['in JSON', (it: string) => JSON.stringify({ some: it })],
    ['found by grep', (it: string) => `src/a-b/c.env-12-VALUE=${it}`],
    ['found by grep at the start of a line', (it: string) => `.env-12-${it}\n.env:13:${it}`],
    ['in a diff', (it: string) => `-${it}\n+${it}`],
  ])('%s is masked to its last character', (_, written) => {
    const masked = maskSecrets(written(key));
    for (let at = 0; at + 12 <= key.length; at += 6) expect(masked).not.toContain(key.slice(at, at + 12));
    expect(masked).toContain('[masked]');
    expect(maskSecrets(masked)).toBe(masked);
  });
});

const PASSWORD = 'correct-horse7';
test.each([
  ['postgres://ann:hunter2@db:5432/app?sslmode=require', 'postgres://ann:***@db:5432/app?sslmode=require'],
  ['mongodb+srv://ann:p%40ss@cluster0.example.net/db', 'mongodb+srv://ann:***@cluster0.example.net/db'],
  ['redis://:pw@cache:6379/0', 'redis://:**@cache:6379/0'],
  ['amqps://ann:a@b!c@mq/vhost', 'amqps://ann:***@mq/vhost'],
  ['postgres://db/app?user=ann&password=hunter', 'postgres://db/app?user=ann&password=***'],
  ['Server=db;User Id=sa;Password=hunter;', 'Server=db;User Id=sa;Password=***;'],
  ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'Authorization: Basic [masked]'],
  ["-H 'Authorization: Bearer abcdefghijkl'", "-H 'Authorization: Bearer [masked]'"],
  ['"x-api-key": "9f8e7d6c5b4a3210"', '"x-api-key": "[masked]"'],
  [`curl -s -u ann:${PASSWORD} https://a.example`, 'curl -s -u ann:[masked] https://a.example'],
  [`machine a.example login ann password ${PASSWORD}`, 'machine a.example login ann password [masked]'],
  ['{"auths":{"a.example":{"auth":"YW5uOmh1bnRlcg=="}}}', '{"auths":{"a.example":{"auth":"[masked]"}}}'],
  ['//registry.example/:_authToken=9f8e7d6c5b4a3210', '//registry.example/:_authToken=[masked]'],
  [
    'https://a.blob.core.windows.net/b?sv=2024&sig=abc%2Bdef%3D',
    'https://a.blob.core.windows.net/b?sv=2024&sig=[masked]',
  ],
  ['AccountKey=abcd1234efgh5678==;EndpointSuffix=x', 'AccountKey=[masked];EndpointSuffix=x'],
  ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY1', 'aws_secret_access_key = [masked]'],
])('%s', (text, masked) => {
  expect(maskSecrets(text)).toBe(masked);
  expect(maskSecrets(masked)).toBe(masked);
});

const png = `data:image/png;base64,iVBORw0KGgo${some(20_000, BASE64)}`;
const armour = (name: string) =>
  `-----BEGIN ${name}-----\n${some(64, BASE64)}\n${some(30, BASE64)}=\n-----END ${name}-----`;
test.each([
  'commit 3f2a9c17d0b4e6aa11d23f2a9c17d0b4e6aa11d2',
  '550e8400-e29b-41d4-a716-446655440000',
  `"integrity": "sha512-${some(86, BASE64)}=="`,
  `checksum = "${some(64, HEX)}"`,
  `golang.org/x/text v0.3.0 h1:${some(43, BASE64)}=`,
  `@scope/pkg@npm:1.2.3: checksum: 10c0/${some(128, HEX)}`,
  `sha256:${some(64, HEX)}`,
  png,
  armour('CERTIFICATE'),
  armour('PUBLIC KEY'),
  armour('PGP PUBLIC KEY BLOCK'),
  armour('PGP MESSAGE'),
  armour('PGP SIGNATURE'),
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${some(43, BASE64)} ann@host`,
  'npm_config_registry_mirror_list_name npm_package_dependencies_left_pad_1',
  'div.sk-container-id-1 .sk-toggleable__content-2',
  'hf_hub_download_with_retries2',
  'tokenizer: cl100k_base',
  'token_type: bearer2abc',
  'secretName: my-app-db-2025',
  'max_tokens: Math.max(1, tokens)',
  'const password = await prompt("Password: ");',
  'Authorization: Bearer YOUR_API_KEY',
  `postgres://ann:$\{DB_PASSWORD}@db/app`,
  'http://localhost:8080/@vite/client',
  'git@github.com:ann/repo.git#v1@2',
  'docker run -u 1000:1000 image',
])('no false alarm: %s', (text) => {
  expect(maskSecrets(text)).toBe(text);
});

test('no false alarm in a lock file', () => {
  const lock = readFileSync(new URL('../../../../package-lock.json', import.meta.url), 'utf8');
  expect(maskSecrets(lock)).toBe(lock);
});

describe('private keys', () => {
  const lines = [...Array.from({ length: 12 }, () => some(64, BASE64)), `${some(9, BASE64)}==`];
  const names = ['RSA PRIVATE KEY', 'PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'];
  const pem = names.map((name) => [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`]);
  const files: readonly (readonly string[])[] = [
    ...pem,
    [
      '-----BEGIN RSA PRIVATE KEY-----',
      'Proc-Type: 4,ENCRYPTED',
      'DEK-Info: AES-256-CBC,0123456789ABCDEF',
      '',
      ...lines,
      '-----END RSA PRIVATE KEY-----',
    ],
    [
      '-----BEGIN PGP PRIVATE KEY BLOCK-----',
      'Version: GnuPG v2',
      '',
      ...lines,
      '=aB3d',
      '-----END PGP PRIVATE KEY BLOCK-----',
    ],
    ['---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----', ...lines, '---- END SSH2 ENCRYPTED PRIVATE KEY ----'],
    ['Private-Lines: 13', ...lines, `Private-MAC: ${some(64, HEX)}`],
  ];
  const marked = (_file: readonly string[], at: number) => (at % 5 === 0 ? ':' : '-');
  const WRITTEN: Readonly<Record<string, (file: readonly string[]) => string>> = {
    'as it is': (file) => file.join('\n'),
    'with CRLF': (file) => file.join('\r\n'),
    'by grep -n': (file) => file.map((line, i) => `${i + 1}:${line}`).join('\n'),
    'by grep -C': (file) => file.map((line, i) => `${i + 1}${marked(file, i)}${line}`).join('\n'),
    'by grep -rC': (file) =>
      file.map((line, i) => `deploy/my keys/id_2.pem${marked(file, i)}${i + 1}${marked(file, i)}${line}`).join('\n'),
    'by grep -h of many files': (file) => file.map((line, i) => `deploy/id_rsa${marked(file, i)}${line}`).join('\n'),
    'by cat -n': (file) => file.map((line, i) => `${String(i + 1).padStart(6)}\t${line}`).join('\n'),
    'by read_file': (file) => file.map((line, i) => `${i + 1}\t${line}`).join('\n'),
    'by search_files': (file) =>
      file.map((line, i) => `a/key.pem${marked(file, i)}${i + 1}${marked(file, i)} ${line}`).join('\n'),
    'in a diff that adds it': (file) => file.map((line) => `+${line}`).join('\n'),
    'in a diff that removes it': (file) => file.map((line) => `-${line}`).join('\n'),
    'in a diff that changes it': (file) =>
      file
        .flatMap((line, i) => (i === 0 || i === file.length - 1 ? [` ${line}`] : [`-${line}`, `+${line}`]))
        .join('\n'),
    'in a quotation': (file) => file.map((line) => `> > ${line}`).join('\n'),
    'in YAML': (file) => `key: |\n${file.map((line) => `    ${line}`).join('\n')}`,
    'in YAML found by grep': (file) => file.map((line, i) => `k8s/secret.yml-${i + 7}-    ${line}`).join('\n'),
    'in a log': (file) => file.map((line, i) => `app-1  | 2026-05-04T10:11:${10 + i}.123Z ${line}`).join('\n'),
    'by git blame': (file) =>
      file.map((line, i) => `^1a2b3c4 (Ann 2026-05-04 10:11:12 +0200 ${String(i + 1).padStart(2)}) ${line}`).join('\n'),
    'in JSON': (file) => JSON.stringify({ private_key: file.join('\n') }),
    'in JSON in JSON': (file) => JSON.stringify(JSON.stringify({ private_key: file.join('\n') })),
    'in Python': (file) => `KEY = """${file.join('\n')}"""`,
    'in JavaScript': (file) => `const key =\n${file.map((line) => `  "${line}\\n" +`).join('\n')}\n  "";`,
    'in a comment': (file) => file.map((line) => `# ${line}`).join('\n'),
    'in a table': (file) => file.map((line) => `| ${line.padEnd(64)} |`).join('\n'),
    'by psql': (file) => file.map((line, i) => ` ${line.padEnd(64)}${i < file.length - 1 ? '+' : ' '}|`).join('\n'),
  };
  const bare = (line: string) => line.replace(/^=+|=+$/g, '');

  test.each(Object.entries(WRITTEN))('%s: nothing of the key is left, and all around it is', (_, written) => {
    for (const file of files) {
      const masked = maskSecrets(`first line\n${written(file)}\nlast line`);
      for (const line of lines) expect(masked, file[0]).not.toContain(bare(line));
      expect(masked).toMatch(/^first line\n/);
      expect(masked).toMatch(/\nlast line$/);
      expect(maskSecrets(masked)).toBe(masked);
    }
  });

  test.each(Object.entries(WRITTEN))('%s: a part with one end is masked', (_, written) => {
    for (const file of pem) {
      const whole = written(file);
      const third = Math.floor(whole.length / 3);
      for (const part of [whole.slice(0, 2 * third), whole.slice(third)]) {
        const masked = maskSecrets(part);
        // The line that was cut may be too short to be known.
        const left = lines.slice(0, -1).filter((line) => masked.includes(line));
        expect(left).toEqual([]);
      }
    }
  });

  test('PGP: the session key of a message', () => {
    const text = `gpg: session key: '9:${some(64, '0123456789ABCDEF')}'`;
    expect(maskSecrets(text)).toBe("gpg: session key: '9:[masked]'");
  });

  test.each([
    "const BEGIN = '-----BEGIN PRIVATE KEY-----';\nconst END = '-----END PRIVATE KEY-----';\nreturn between(BEGIN, END);",
    'It starts with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY----- as a rule.',
    '-----BEGIN PRIVATE KEY-----\nfoo\nbar baz\nreturn someVeryLongNameOfAFunctionInThisFile(x)',
    'src/a.ts:7:  if (text.includes("-----BEGIN RSA PRIVATE KEY-----")) {\nsrc/a.ts-8-    return refuseThisFile;',
  ])('a header or a footer alone hides nothing else: %s', (text) => {
    const [words, left] = [text, maskSecrets(text)].map((it) => it.replace(/-----[A-Z ]+-----|\[masked\]/g, '#'));
    expect(left).toBe(words);
  });
});

test('hostile texts are read in linear time', async () => {
  const header = '-----BEGIN PRIVATE KEY-----';
  const parts = [
    'api_key',
    'token-',
    'http://a.',
    'a://b:c',
    `${header}\n`,
    header,
    `1:${header}\n`,
    '-----END PRIVATE KEY-----\n',
    `${header}\n${'AbC1'.repeat(16)}\n`,
    `${'AbC1'.repeat(16)}\n`,
    `${header}AbC1AbC1AbC1AbC1AbC1 `,
    `${header}\\n`,
    'password=',
    'sk-',
    'sk-a1',
    'eyJ-',
    'eyJ.',
    'eyJaaaaaaaaaa.',
    'curl ',
    'curl -u ',
    'login ',
    '"auth":"',
    'xoxb-',
    'AbCd1JQQJ',
    '12345678:',
    'abcdef0123456789-',
    'Authorization: bearer ',
    '?key=',
    ';pwd=',
    '\\n',
    ' ',
    '-',
  ];
  for (const part of parts) {
    const count = Math.ceil(30_000 / part.length);
    const [little, much] = [part.repeat(count), part.repeat(10 * count)];
    // Ten times as much text takes about ten times as long, not a hundred times.
    const ratio = await timeRatio(
      () => maskSecrets(much),
      () => maskSecrets(little),
      { enough: 40 },
    );
    expect(ratio, part).toBeLessThan(40);
  }
});
