import { expect, test } from 'vitest';
import { toolTurn } from '../../test/agent-histories.ts';
import type { Wire } from '../../test/histories.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { UNCALIBRATED } from '../size/tokens.ts';
import { LANGUAGES } from '../statements/languages/index.ts';
import { readerOf } from '../statements/statements.ts';
import { previewWords, viewTurnOf } from '../view/view-turn.ts';
import { DigestBuilder } from './build-digest.ts';
import { EMPTY_DIGEST } from './digest.ts';
import { renderNote } from './render-note.ts';

const READER = readerOf(LANGUAGES);

test('words enter the digest verbatim when a fold shortens them, and not again when they are dropped', () => {
  const dialect = openaiChat();
  const message = { role: 'user', content: `Keep parseHandle as it is. ${'And test it. '.repeat(60)}` };
  const whole = viewTurnOf(dialect, { from: 4, messages: [message], readings: [dialect.read(message)] });
  const shortened = previewWords({ dialect, revisions: [], calibration: UNCALIBRATED }, whole);
  expect(shortened).not.toBe(whole);

  const builder = new DigestBuilder(dialect, EMPTY_DIGEST, READER);
  builder.add(whole, shortened);
  const before = builder.finish(5);
  expect(before.asked[0]?.slice(0, 2)).toEqual([expect.stringMatching(/^Keep parseHandle as it is\./), 4]);
  expect(JSON.stringify(before.asked)).not.toContain('recall');

  for (const take of ['add', 'skim'] as const) {
    const later = new DigestBuilder(dialect, before, READER);
    if (take === 'add') later.add(shortened, undefined);
    else later.skim(shortened);
    expect(later.finish(5)).toEqual(before);
  }
});

test('of a page that another agent shows, only what tells something is kept', () => {
  const page = Array.from({ length: 60 }, (_, i) => `Show ${i} of the Acme Channel in Seattle`).join('\n\n');
  const builder = new DigestBuilder(openaiChat(), EMPTY_DIGEST, READER);
  builder.add(turnOf('user', `[WebSurfer] ${page}\n\nNever use the Acme mirror: it is two years old.`, 3), undefined);
  const { decisions, findings } = builder.finish(4);
  const said = [...decisions, ...findings].map(([text]) => text);
  expect(said).toContain('[WebSurfer] Never use the Acme mirror: it is two years old.');
  expect(said.length).toBeLessThan(5);
});

test('what a page of another agent says is found, never decided; menus, metadata and cut sentences are left out', () => {
  const page = [
    '"og:description": "Search makes it easier to choose, because it is fast."',
    'Choose your location',
    'Why should you choose Acme for shipping?',
    'Choose a service by speed or price because ...',
    'You must choose Acme for parcels of up to 20 kg.',
    ...Array.from({ length: 60 }, (_, i) => `Show ${i} of the Acme Channel in Seattle`),
  ].join('\n\n');
  const builder = new DigestBuilder(openaiChat(), EMPTY_DIGEST, READER);
  builder.add(turnOf('user', `[WebSurfer] I typed '0.25' into 'Weight (kg)'.\n\n${page}`, 3), undefined);
  const { decisions, causes, findings } = builder.finish(4);
  expect([decisions, causes]).toEqual([[], []]);
  expect(findings.map(([text]) => text)).toEqual([
    "[WebSurfer] I typed '0.25' into 'Weight (kg)'.",
    '[WebSurfer] You must choose Acme for parcels of up to 20 kg.',
  ]);
});

test('an agent that names itself, a title and a short answer say nothing', () => {
  const builder = new DigestBuilder(openaiChat(), EMPTY_DIGEST, READER);
  builder.add(turnOf('assistant', '[Lead (thought)] Updated Ledger:\n\nThe root cause is a stale lock.', 2), undefined);
  builder.add(turnOf('assistant', '[Lead (thought)] Next speaker WebSurfer', 3), undefined);
  builder.add(turnOf('assistant', 'It is 42.', 4), undefined);
  const { decisions, causes, findings } = builder.finish(5);
  const said = [...decisions, ...causes, ...findings].map(([text]) => text);
  expect(said).toEqual(['The root cause is a stale lock.', 'It is 42.']);
});

/** A turn of one message at an index. */
function turnOf(role: string, content: string, from: number) {
  const message = { role, content };
  return viewTurnOf(openaiChat(), { from, messages: [message], readings: [openaiChat().read(message)] });
}

test('what was said weighs the same in a turn that is only skimmed', () => {
  const turns = [
    turnOf('user', 'Never touch `legacy/`. Thanks!', 2),
    turnOf('assistant', 'The root cause is a stale lock.', 3),
  ];
  const read = new DigestBuilder(openaiChat(), EMPTY_DIGEST, READER);
  for (const turn of turns) read.add(turn, undefined);
  const skimmed = new DigestBuilder(openaiChat(), EMPTY_DIGEST, READER);
  for (const turn of turns) skimmed.skim(turn);
  expect(skimmed.finish(4)).toMatchObject({ asked: read.finish(4).asked, causes: read.finish(4).causes });
});

test('the sentences of one message stay in the order in which they were said', () => {
  const said = [
    'Stop, `Reader` is right.',
    'The bug is in `Writer`.',
    'Never touch `legacy/`.',
    'Tests are in `spec/`.',
  ];
  const builder = new DigestBuilder(openaiChat(), EMPTY_DIGEST, READER);
  builder.add(turnOf('user', said.join(' '), 2), undefined);
  const { asked } = builder.finish(3);
  expect(asked.map(([text]) => text).join(' ')).toBe(said.join(' '));
  expect(new Set(asked.map(([, , weight]) => weight)).size).toBeGreaterThan(1);
  expect(new DigestBuilder(openaiChat(), builder.finish(3), READER).finish(3).asked).toEqual(asked);
});

test('a page of rules that a user pasted does not crowd out what the user typed', () => {
  const builder = new DigestBuilder(openaiChat(), EMPTY_DIGEST, READER);
  builder.add(turnOf('user', 'The orders are kept in `orders.db` at Hetzner.', 2), undefined);
  const page = Array.from({ length: 150 }, (_, i) => `- Never edit \`part_${i}.ts\` by hand.`).join('\n');
  builder.add(turnOf('user', page, 3), undefined);
  const { asked } = builder.finish(4);
  expect(asked[0]?.slice(0, 2)).toEqual(['The orders are kept in `orders.db` at Hetzner.', 2]);
  expect(asked.filter(([, , weight = 0]) => weight > (asked[0]?.[2] ?? 0)).length).toBeLessThan(20);
});

test('a long report of the assistant does not crowd out what it said elsewhere', () => {
  const builder = new DigestBuilder(openaiChat(), EMPTY_DIGEST, READER);
  builder.add(turnOf('assistant', 'Orders go through `queue.ts` from here.', 2), undefined);
  const report = Array.from(
    { length: 60 },
    (_, i) => `- \`part_${i}.ts\` fails because \`core_${i}\` is missing.`,
  ).join('\n');
  builder.add(turnOf('assistant', report, 3), undefined);
  const { findings, causes } = builder.finish(4);
  const weight = findings[0]?.[2] ?? 0;
  expect(findings[0]?.[0]).toBe('Orders go through `queue.ts` from here.');
  expect(causes.filter(([, , one = 0]) => one > weight).length).toBeLessThan(10);
});

test.each(['add', 'skim'] as const)(
  'actions in words count as work on files, and their results as no request (%s)',
  (take) => {
    const builder = new DigestBuilder(openaiChat(), EMPTY_DIGEST, READER);
    const turns = [
      turnOf('user', 'Never touch `legacy/`.', 2),
      turnOf('assistant', 'First I look.\n<read_file>\n<path>src/a.ts</path>\n</read_file>', 3),
      turnOf('user', "[read_file for 'src/a.ts'] Result:\nNever call `start()` twice.", 4),
      turnOf('assistant', '<write_to_file>\n<path>src/b.ts</path>\n<content>\nlet b;\n</content>\n</write_to_file>', 5),
    ];
    for (const turn of turns) builder[take](turn, undefined);
    const { asked, files } = builder.finish(6);
    expect(asked.map(([text]) => text)).toEqual(['Never touch `legacy/`.']);
    expect(files).toEqual([
      { path: 'src/b.ts', since: 5, did: 'created', changes: [5], reads: [] },
      { path: 'src/a.ts', changes: [], reads: [[4]] },
    ]);
  },
);

test('what other agents of a team say is quoted with their names, and is not the user’s words', () => {
  const builder = new DigestBuilder(openaiChat(), EMPTY_DIGEST, READER);
  const turns = [
    turnOf('user', 'Never touch `legacy/`.', 2),
    turnOf('user', '[WebSurfer] I opened the page. The price list of Acme is missing because the shop moved.', 3),
    turnOf('user', '[writer used search {"q":"shops"}]\nAlways buy two for the price of one.', 4),
  ];
  for (const turn of turns) builder.add(turn, undefined);
  const { asked, causes } = builder.finish(5);
  expect(asked.map(([text]) => text)).toEqual(['Never touch `legacy/`.']);
  expect(causes.map(([text]) => text)).toEqual([
    '[WebSurfer] The price list of Acme is missing because the shop moved.',
  ]);
});

/** The digest of a read of a file with this text. */
function digestOfRead(text: string, before = EMPTY_DIGEST) {
  const dialect = openaiChat();
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'read_file', arguments: '{"path":"src/used_file.ts"}' },
  };
  const messages = [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: text },
  ];
  const builder = new DigestBuilder(dialect, before, READER);
  builder.add(
    viewTurnOf(dialect, { from: 10, messages, readings: messages.map((message) => dialect.read(message)) }),
    undefined,
  );
  return builder.finish(12);
}

test('a name last used by a call ranks before one last seen in a result', () => {
  const { names } = digestOfRead('src/other_file.ts');
  expect(names.map(([name, , , , , argued]) => [name, argued])).toEqual([
    ['src/used_file.ts', 1],
    ['src/other_file.ts', 0],
  ]);
});

/** The digest of these messages, all of which left the view. */
function digestOf(...messages: readonly object[]) {
  const dialect = openaiChat<object>();
  const builder = new DigestBuilder(dialect, EMPTY_DIGEST, READER);
  builder.add(
    viewTurnOf(dialect, { from: 1, messages, readings: messages.map((one) => dialect.read(one)) }),
    undefined,
  );
  return builder.finish(99);
}

const ran = (id: string, command: string, content: string) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'bash', arguments: JSON.stringify({ command }) } }],
  },
  { role: 'tool', tool_call_id: id, content },
];

test('statements go under the name of the speaker, whatever they say', () => {
  const said = 'From now on always run make_all before you commit, not make_some.';
  const { asked, ...others } = digestOf({ role: 'assistant', content: said });
  expect(asked).toEqual([]);
  expect(JSON.stringify(others)).toContain(said);
  expect(digestOf({ role: 'user', content: said }).asked).toEqual([[said, 1, expect.any(Number)]]);
});

test('what was said twice counts as said last', () => {
  const said = 'The root cause is parse_all: it starts before load_all is ready.';
  const { causes } = digestOf({ role: 'assistant', content: said }, { role: 'assistant', content: said });
  expect(causes).toEqual([[said, 2, expect.any(Number)]]);
});

test('a failed command is kept with the line that says what failed, until it succeeds', () => {
  const output = 'Exit code 1\n// on error, retry\n--- FAIL: TestParse (0.2s)\nerror: it failed';
  const failed = digestOf(...ran('a', 'go test ./...', output));
  expect(failed.commands).toEqual([['go test ./...', 2, 1, '--- FAIL: TestParse (0.2s)']]);
  const mended = digestOf(...ran('a', 'go test ./...', output), ...ran('b', 'cd /repo && go test ./... 2>&1', 'ok'));
  expect(mended.commands.map(([, at, , failure]) => [at, failure])).toEqual([[4, undefined]]);
});

test.each([
  ['make', 'cc -c core.c\nmake: *** [Makefile:12: build] Error 1'],
  [
    'pip install left_pad',
    'Collecting left_pad\n\u001b[31mERROR: No matching distribution found for left_pad\u001b[0m',
  ],
  ['python train.py', 'usage: train.py [-h]\ntrain.py: error: unrecognized arguments: --rate=2'],
  ['python run.py', 'Traceback (most recent call last):\n  File "run.py", line 3, in <module>\nKeyError: \'orders\''],
  ['git switch nowhere', 'fatal: invalid reference: nowhere'],
])('%s has failed if its output ends so, even if no exit code says it', (command, output) => {
  const [fact] = digestOf(...ran('a', command, output)).commands;
  expect(fact?.slice(0, 3)).toEqual([command, 2, null]);
  expect(output).toContain(fact?.[3]);
});

test.each([
  ['make', 'error: this line is old\n1\n2\n3\n4\nall targets are up to date'],
  ['docker logs api', 'starting\nerror: connection lost'],
  ['go test ./...', 'Exit code 0\nerror: was expected here'],
])('%s has not failed because some line speaks of an error', (command, output) => {
  expect(digestOf(...ran('a', command, output)).commands[0]?.[3]).toBeUndefined();
});

test('a command keeps the lines that its backslashes join', () => {
  const action = '!python train.py \\\n--rate=2 \\\n--rows=10';
  const call = { id: 'a', type: 'function', function: { name: 'execute', arguments: JSON.stringify({ action }) } };
  const answer = { role: 'tool', tool_call_id: 'a', content: 'done' };
  const { commands } = digestOf({ role: 'assistant', content: null, tool_calls: [call] }, answer);
  expect(commands.map(([text]) => text)).toEqual(['python train.py \\ --rate=2 \\ --rows=10']);
});

test('an edit of the open file counts as a change of the file that its answer shows; no open file is no file', () => {
  const edit = (id: string, content: string) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id,
          type: 'function',
          function: { name: 'edit', arguments: JSON.stringify({ action: 'edit 3:4\nx = 1\nend_of_edit' }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: id, content },
  ];
  const { files } = digestOf(
    ...edit('a', '[File: /repo/core.py (90 lines total)]\n3:x = 1'),
    ...edit('b', 'done\n(Open file: n/a)'),
  );
  expect(files).toMatchObject([{ path: '/repo/core.py', changes: [2] }]);
});

const planned = (id: string, ...contents: readonly string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: [
    {
      id,
      type: 'function',
      function: {
        name: 'TodoWrite',
        arguments: JSON.stringify({ todos: contents.map((content) => ({ content, status: 'pending' })) }),
      },
    },
  ],
});

test.each(['add', 'skim'] as const)(
  'an older plan does not replace a newer one that left the view before it (%s)',
  (take) => {
    const dialect = openaiChat<object>();
    const turn = (from: number, message: object) =>
      viewTurnOf(dialect, { from, messages: [message], readings: [dialect.read(message)] });
    const first = new DigestBuilder(dialect, EMPTY_DIGEST, READER);
    first[take](turn(8, planned('b', 'Ship it')), undefined);
    const then = new DigestBuilder(dialect, first.finish(9), READER);
    then[take](turn(4, planned('a', 'Write it', 'Ship it')), undefined);
    expect(then.finish(9).todos).toEqual([['Ship it', 8]]);
  },
);

test('a failure that an edit mended without words stays, with the edited file, until the same fails again', async () => {
  const run = (id: string, result: string) =>
    toolTurn('openai-chat', id, { name: 'bash', input: { command: 'npm test' }, result });
  const edit = (id: string) =>
    toolTurn('openai-chat', id, {
      name: 'edit_file',
      input: { path: 'src/parser.ts', old_string: 'a', new_string: 'b' },
      result: 'ok',
    });
  const digestOf = (turns: readonly (readonly Wire[])[]) => {
    const dialect = openaiChat<Wire>();
    const builder = new DigestBuilder<Wire>(dialect, EMPTY_DIGEST, READER);
    turns.forEach((messages, i) => {
      const readings = messages.map((message) => dialect.read(message));
      builder.add(viewTurnOf(dialect, { from: 1 + 2 * i, messages, readings }), undefined);
    });
    return builder.finish(1 + 2 * turns.length);
  };
  const failed = run('a', 'FAIL parser: expected 3, got 4\nexit code: 1');
  const passed = run('c', 'ok\nexit code: 0');
  const mended = digestOf([failed, edit('b'), passed, passed]);
  const note = renderNote({ revisions: [], dropped: [[1, 8]], shortened: 0, example: 1, digest: mended });
  expect(note).toMatch(/"npm test" → exit 0 → failed: "FAIL parser: expected 3, got 4" until "src\/parser.ts" changed/);
  expect(digestOf([failed, passed]).commands[0]).toHaveLength(3);
  expect(digestOf([failed, edit('b'), passed, failed]).commands[0]).toHaveLength(4);
});
