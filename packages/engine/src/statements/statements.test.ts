import { describe, expect, it } from 'vitest';
import type { Language } from './language.ts';
import { english } from './languages/english.ts';
import { german } from './languages/german.ts';
import { LANGUAGES } from './languages/index.ts';
import { readerOf } from './statements.ts';

const reader = readerOf(LANGUAGES);
const statementsOf = (text: string, by: 'user' | 'assistant') => reader.statementsOf(text, by);
const textsOf = (text: string, by: 'user' | 'assistant' = 'assistant') => statementsOf(text, by).map((one) => one.text);

describe('statementsOf', () => {
  it('takes what the assistant decided and found, not its progress reports', () => {
    const text = `Let me look at the file.

I went with \`SQLite\` rather than Redis. Now I'll run the tests.

The root cause is a stale lock file.`;
    expect(statementsOf(text, 'assistant').map(({ kind, text }) => [kind, text])).toEqual([
      ['decision', 'I went with `SQLite` rather than Redis.'],
      ['cause', 'The root cause is a stale lock file.'],
    ]);
  });

  it('keeps a short statement and the sentence that explains it together', () => {
    const text =
      'Turns out `sink` never gets flushed. `cache.ts` returns early on a hit. The build of `core` took 3 minutes.';
    expect(statementsOf(text, 'assistant').map(({ kind, text }) => [kind, text])).toEqual([
      ['cause', 'Turns out `sink` never gets flushed. `cache.ts` returns early on a hit.'],
      ['finding', 'The build of `core` took 3 minutes.'],
    ]);
  });

  it('takes no question of the assistant for a finding', () => {
    expect(textsOf('Could you please provide the reservation ID of `HAT300`?')).toEqual([]);
  });

  it.each([
    ['Let me check the imports, because the build of `core` is slow.', undefined],
    ["I'm rerunning the suite so the result of `core` is up to date.", undefined],
    ["Je vais vérifier `core`, parce que c'est lent.", undefined],
    ["I'll put both in `core.ts`, since they change together.", 'decision'],
    ['Let me revert my change to `core.ts` now.', undefined],
    ["Therefore, the next step is to click the 'All Reviews' link of Acme.", undefined],
    ['Therefore, I will click the link of Acme.', undefined],
    ['/usr/lib/python3/site-packages/agents.py:216: UserWarning: model mismatch in `core`', undefined],
    ['/usr/lib/python3/agents.py:216: UserWarning: mismatch because `core` is old, never use it', undefined],
    ['"og:description": "Acme decided to go with `core` because it is fast",', undefined],
    ['create_result = await self._model_client.create(', undefined],
    ['Let me fetch the logs of `core` to understand the root cause:', undefined],
    ['The branch `core` of PR #36 has no changes.', 'finding'],
    ['`worker-7` is in CrashLoopBackOff after 1990 restarts.', 'finding'],
    ['The probe of `core.ts` returns the prefix of PR #36.', 'finding'],
    ['I tried `core.ts` without the cache, but that did not help.', 'failed'],
    ['So the answer for `core.ts` is yes, with SQLite.', 'finding'],
    ['So the bug is that `core.ts` never closes SQLite.', 'cause'],
    ['`core.ts` is closed too early, so the SQLite tests fail.', 'cause'],
    ['Now update the callers in `core.ts` and `main.ts`:', undefined],
  ])('reads %j as %s: an announcement is not a cause, and a state is not an attempt', (text, kind) => {
    const kept = statementsOf(text, 'assistant').filter(({ weight }) => weight >= 0.2);
    expect(kept.map((one) => one.kind)).toEqual(kind === undefined ? [] : [kind]);
  });

  it.each([
    'Now that `parser.ts` reads from the cache, the old helper can go.',
    'OK so Redis is where the sessions get registered.',
    '- `orders.db` → handled by `queue.ts`',
    'Redis yerine SQLite kullanılıyor artık.',
  ])('keeps %j with little weight, although no phrase says what it states', (text) => {
    const [{ weight } = { weight: 1 }, ...others] = statementsOf(text, 'assistant');
    expect(weight).toBeLessThan(0.4);
    expect(others).toEqual([]);
  });

  it.each([
    'Now let me look at `parser.ts` again.',
    'Still waiting for the agent in `review.ts`.',
    'Running the tests.',
  ])('leaves out %j, which says only what happens next', (text) => expect(statementsOf(text, 'assistant')).toEqual([]));

  it.each([
    'Step 6 of 100: search.',
    'Step 38 of 100: read test/queue.test.ts.',
    '[6/40] Building the `parser` package.',
    'Reading file 7 of 30: src/store/queue.ts',
    'Now at 45%: indexing `orders`.',
    'Item 17 of 80 done in `orders`.',
    '**Task 3/12:** lint src/api.ts and src/db.ts',
    'Phase 2: migrate the callers of `core` to SQLite.',
    'Schritt 4 von 20: `core.ts` lesen.',
    'Étape 4 sur 20 : lire core.ts',
  ])('leaves out %j, the row of a plan or a line of progress', (text) => expect(textsOf(text)).toEqual([]));

  it.each([
    'Step 2 of 9: turns out Redis is down.',
    'Step 4 of 9: `parser.ts` rejects tabs.',
    '3/12 tests fail in `auth.ts`.',
    'Found 3 of 12 endpoints without auth in `api.ts`.',
    'Finding 2: the cache of `core.ts` never expires.',
    'Redis 7: 120 ms for `orders`, Redis 8: 90 ms.',
    'Iteration 7: 3 failures left in auth.test.ts',
  ])('keeps %j, which counts something but says what it found', (text) => expect(textsOf(text)).toEqual([text]));

  it("keeps the rows of a user's plan", () => {
    expect(textsOf('Phase 2: migrate the callers of `core`.', 'user')).toEqual([
      'Phase 2: migrate the callers of `core`.',
    ]);
  });

  it('skips code, but not prose that somebody put between code fences', () => {
    const code = '```ts\n// never call this because it breaks\nconst a = 1;\n```';
    expect(textsOf(`${code}\n\n\`\`\`\nWe decided against Redis, the server has no room for it.\n\`\`\``)).toEqual([
      'We decided against Redis, the server has no room for it.',
    ]);
  });

  it('joins a fragment with the sentence that it belongs to', () => {
    const opening = 'Found it. The root cause is initPool: it runs before `config.load`.';
    const closing = 'Tried to pin vite to 4.x, but then the plugin no longer compiles. Dead end.';
    const back = 'Moving the lock into open() deadlocks on shutdown. I reverted it and will not try that again.';
    expect(textsOf(`Let me look. ${opening}\n\n${closing}\n\n${back}`)).toEqual([opening, closing, back]);
    const correction = "No, that's wrong. orders.db is read-only; the writes go through the queue.";
    expect(statementsOf(correction, 'user')).toMatchObject([{ kind: 'correction', text: correction }]);
  });

  it('completes a statement that ends with a colon by the list after it, up to the next statement', () => {
    const list = '- `probe` asks for refs\n- `push` sends them\n- `merge` fails because Redis is down';
    expect(textsOf(`That is why we keep the \`sync\` command:\n\n${list}`)).toEqual([
      'That is why we keep the `sync` command: `probe` asks for refs; `push` sends them',
      '`merge` fails because Redis is down',
    ]);
  });

  it('does not end a sentence inside code', () => {
    const text = 'The `pairs ?? []` default is wrong because `a. b! c` gives never[].';
    expect(textsOf(`${text}\n\nNever use \`b?\` here. Always use \`c!\` there.`)).toEqual([
      text,
      'Never use `b?` here.',
      'Always use `c!` there.',
    ]);
  });

  it('does not end a sentence at file names, abbreviations and addresses', () => {
    const text = 'We use e.g. index.ts and https://a.example/b.c?d=1 instead of v1.2 etc. because of the bundle.';
    expect(textsOf(`${text} Let me check.`)).toEqual([text]);
  });

  it('reads lists, tables, quotations and headings without their marks', () => {
    const text = `## Decision: keep \`pnpm\` instead of npm 11
- [ ] The retry path is still untested in \`poller.go\`.
| key | value |
|---|---|
| limit | the real limit is 500 because of \`nginx\`, not 1000 |
> The culprit is \`auth.ts\`.`;
    expect(textsOf(text)).toEqual([
      'Decision: keep `pnpm` instead of npm 11',
      'The retry path is still untested in `poller.go`.',
      '| limit | the real limit is 500 because of `nginx`, not 1000 |',
      'The culprit is `auth.ts`.',
    ]);
  });

  it('reads the words in a JSON object, without keys and flags', () => {
    const text = '{\n  "is_done": {\n    "reason": "We have not found `orders.db` yet.",\n    "answer": false\n  }\n}';
    expect(textsOf(text)).toEqual(['We have not found `orders.db` yet.']);
  });

  it('lets a heading or label speak for what follows', () => {
    const text = '**Root cause**:\n- `useOrders` mounts twice in StrictMode\n\nThe files `a.ts`';
    expect(statementsOf(text, 'assistant')).toMatchObject([
      { kind: 'cause', text: '`useOrders` mounts twice in StrictMode' },
    ]);
  });

  it('takes no heading for a statement, however it is written', () => {
    expect(textsOf('## Root Cause of Failure\n\n**Unhealthy Pods Found:**')).toEqual([]);
  });

  it('understands other languages', () => {
    const german = statementsOf('Ich habe mich für SQLite entschieden. Jetzt lese ich die Datei.', 'assistant');
    expect(german.filter(({ weight }) => weight > 0.1)).toMatchObject([
      { kind: 'decision', text: 'Ich habe mich für SQLite entschieden.' },
    ]);
    expect(statementsOf('让我看一下。问题的根本原因是缓存没有清除。', 'assistant')).toMatchObject([
      { kind: 'cause', text: '问题的根本原因是缓存没有清除。' },
    ]);
  });

  it('understands only the languages it was made for', () => {
    const text = 'Ich habe mich für SQLite entschieden.\n\nWe decided on Postgres for the tests.';
    const kinds = (languages: readonly Language[]) =>
      readerOf(languages)
        .statementsOf(text, 'user')
        .map(({ kind }) => kind);
    expect(kinds([english])).toEqual(['other', 'decision']);
    expect(kinds([german])).toEqual(['decision', 'other']);
    expect(kinds([english, german])).toEqual(['decision', 'decision']);
  });

  it('keeps every sentence that a user typed, and weighs rules far above small talk', () => {
    const [rule, talk] = statementsOf('Never touch `legacy/`. ok thanks', 'user');
    expect(rule).toMatchObject({ kind: 'rule' });
    expect(talk?.weight).toBeLessThan(0.1);
    expect(rule?.weight).toBeGreaterThan(0.5);
  });

  it('takes only statements from what a harness wrapped around them, with less weight', () => {
    const rule = 'Never edit `schema.sql` by hand.';
    const wrapped = statementsOf(`<system-reminder>\nThe date is today.\n${rule}\n</system-reminder>\nGo on.`, 'user');
    expect(wrapped.map((one) => one.text)).toEqual([rule, 'Go on.']);
    expect(wrapped[0]?.weight).toBeLessThan(statementsOf(rule, 'user')[0]?.weight ?? 0);
  });

  it('takes what a harness marks as the words of the user for just that', () => {
    expect(textsOf('<user_query>\nThe date is today.\n</user_query>', 'user')).toContain('The date is today.');
  });

  it('takes only statements from a long text that a user pasted', () => {
    const log = '[148] link "Orders" at Main Menu\n2026-01-02 10:00 GET /api/Orders 200\n'.repeat(30);
    const rule = 'Please never restart the Frankfurt cluster.';
    expect(textsOf(`${log}\n${rule}\n\n${log}`, 'user')).toEqual([rule]);
  });

  it('finds a rule that a user typed between the lines of a log, before lines that speak like rules', () => {
    const line = (i: number) =>
      `2026-01-02T10:00:${10 + i} INFO server[${i}] GET /api/Orders/${i} must retry, never cached`;
    const log = Array.from({ length: 40 }, (_, i) => line(i)).join('\n');
    const rule = 'Please never restart the Frankfurt cluster before 22:00.';
    const weights = new Map(statementsOf(`${log}\n${rule}\n${log}`, 'user').map((one) => [one.text, one.weight]));
    expect(Math.max(...weights.values())).toBe(weights.get(rule));
  });

  it('gives a paragraph of its own more weight than the same words inside what was pasted', () => {
    const page = 'The build writes its files to a folder and the server reads them from there. '.repeat(20);
    const fact = 'Orders above 500 EUR go to Jana in Kiel.';
    const weightIn = (text: string) => statementsOf(text, 'user').find((one) => one.text === fact)?.weight ?? 0;
    expect(weightIn(`${page}\n\n${fact}\n\n${page}`)).toBeGreaterThan(weightIn(`${page}${fact} ${page}`));
  });

  it('cuts a long sentence around what made it a statement', () => {
    const [one] = statementsOf(
      `${'and then some more words '.repeat(16)}because of \`tls.ts\` ${'or so '.repeat(20)}`,
      'assistant',
    );
    expect(one?.text).toContain('because of `tls.ts`');
    expect(one?.text.length).toBeLessThanOrEqual(402);
  });
});
