import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolsInWorkspace } from './tools-in-workspace.ts';

test('read_file shows lines with their numbers, and ranges of them', async () => {
  const place = await toolsInWorkspace({}, { 'a.txt': 'one\ntwo\r\nthree\n', 'empty.txt': '', 'bom.txt': '\ufeffx' });
  const read = async (input: object) => (await place.call('read_file', { path: 'a.txt', ...input })).text;
  expect(await read({})).toBe('1\tone\n2\ttwo\n3\tthree');
  expect(await read({ from_line: 2 })).toBe('2\ttwo\n3\tthree\n[lines 2 to 3 of 3]');
  expect(await read({ from_line: 2, to_line: 2 })).toBe('2\ttwo\n[lines 2 to 2 of 3]');
  expect(await read({ from_line: 4 })).toBe('a.txt has 3 lines; from_line 4 is past the end');
  expect(await read({ from_line: 3, to_line: 2 })).toMatch(/before/);
  expect(await read({ path: 'empty.txt' })).toBe('empty.txt is empty');
  expect(await read({ path: 'bom.txt' })).toBe('1\tx');
  expect(await read({ path: join(place.workspace, 'a.txt'), to_line: 1 })).toMatch(/^1\tone/);
});

test('read_file shows as many lines as fit and says where to continue', async () => {
  const lines = Array.from({ length: 500 }, (_, at) => `line number ${at + 1}`);
  const place = await toolsInWorkspace(
    { max_output_chars: 1_500 },
    { 'long.txt': lines.join('\n'), 'one.txt': 'x'.repeat(5_000) },
  );
  const seen: string[] = [];
  for (let from = 1; from > 0; ) {
    const { text } = await place.call('read_file', { path: 'long.txt', from_line: from });
    expect(text.length).toBeLessThanOrEqual(1_500);
    seen.push(...text.split('\n').filter((line) => /^\d+\t/.test(line)));
    from = Number(/continue with from_line (\d+)/.exec(text)?.[1] ?? 0);
  }
  expect(seen).toEqual(lines.map((line, at) => `${at + 1}\t${line}`));
  const { text } = await place.call('read_file', { path: 'one.txt' });
  expect(text.length).toBeLessThanOrEqual(1_500);
  expect(text).toMatch(/\[output o1: 5002 bytes in total; recall/);
});

test('read_file names binary, irregular, missing and oversized files', async () => {
  const place = await toolsInWorkspace({}, { 'a/b.txt': 'x' });
  writeFileSync(join(place.workspace, 'image.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]));
  writeFileSync(join(place.workspace, 'latin.txt'), Buffer.from('caf\xe9 and some more text', 'latin1'));
  writeFileSync(join(place.workspace, 'large.txt'), Buffer.alloc(11 * 2 ** 20, 'x'));
  const read = async (path: string) => await place.call('read_file', { path });
  expect(await read('image.png')).toMatchObject({
    isError: true,
    text: expect.stringMatching(/binary file of 7 bytes \(89 50 4e 47/),
  });
  expect((await read('latin.txt')).text).toMatch(/not UTF-8/);
  expect(await place.call('edit_file', { path: 'latin.txt', old_text: 'and', new_text: 'or' })).toMatchObject({
    isError: true,
  });
  expect((await read('a')).text).toMatch(/a is a folder/);
  expect((await read('a/none.txt')).text).toBe('a/none.txt does not exist');
  expect((await read('a/b.txt/c')).text).toBe('a/b.txt is not a folder');
  expect((await read('large.txt')).text).toMatch(/11534336 bytes, more than the limit/);
});

test('write_file creates folders, keeps the mode, leaves nothing behind, and reports what it changed', async () => {
  const place = await toolsInWorkspace({}, { 'run.sh': 'old' });
  chmodSync(join(place.workspace, 'run.sh'), 0o751);
  expect(await place.call('write_file', { path: 'x/y/z.txt', content: 'a\nb\n' })).toEqual({
    text: 'created x/y/z.txt: 2 lines, 4 bytes',
    isError: false,
    filesChanged: ['x/y/z.txt'],
  });
  expect((await place.call('write_file', { path: './run.sh', content: 'new' })).text).toBe(
    'replaced 3 bytes of run.sh: 1 line, 3 bytes',
  );
  expect(statSync(join(place.workspace, 'run.sh')).mode & 0o777).toBe(0o751);
  expect(place.text('x/y/z.txt') + place.text('run.sh')).toBe('a\nb\nnew');
  expect(readdirSync(place.workspace).sort()).toEqual(['run.sh', 'x']);
  expect(await place.call('write_file', { path: 'x', content: '' })).toMatchObject({
    isError: true,
    filesChanged: [],
  });
  chmodSync(join(place.workspace, 'run.sh'), 0o444);
  expect((await place.call('write_file', { path: 'run.sh', content: 'x' })).text).toMatch(/write-protected/);
  expect(readdirSync(place.workspace).sort()).toEqual(['run.sh', 'x']);
});

test('edit_file replaces exact text once, or everywhere on request', async () => {
  const place = await toolsInWorkspace(
    {},
    { 'a.ts': 'let a = 1;\nlet b = 1;\n  let c = $1;\n', 'dos.txt': 'one\r\ntwo\r\nthree\r\n' },
  );
  const edit = async (old_text: string, new_text: string, more: object = {}) =>
    await place.call('edit_file', { path: 'a.ts', old_text, new_text, ...more });
  expect((await edit('= 1', '= 2')).text).toMatch(/found 2 times in a.ts, at lines 1, 2; nothing was changed/);
  expect((await edit('let d', 'x')).text).toMatch(/not found in a.ts; nothing was changed/);
  expect((await edit('let c = $1;\nnope', 'x')).text).toMatch(/resembles line 3/);
  expect((await edit('same', 'same')).text).toMatch(/nothing to change/);
  expect(place.text('a.ts')).toBe('let a = 1;\nlet b = 1;\n  let c = $1;\n');
  expect(await edit('$1', "$& $' $$")).toEqual({
    text: 'edited a.ts: 1 place, at line 3',
    isError: false,
    filesChanged: ['a.ts'],
  });
  expect((await edit('= 1', '= 2', { replace_all: true })).text).toBe('edited a.ts: 2 places, at lines 1, 2');
  expect(place.text('a.ts')).toBe("let a = 2;\nlet b = 2;\n  let c = $& $' $$;\n");
  expect((await edit('a', 'b', { path: 'none.ts' })).text).toMatch(/does not exist; write_file/);
  await edit('one\ntwo', '1\n2', { path: 'dos.txt' });
  expect(place.text('dos.txt')).toBe('1\r\n2\r\nthree\r\n');
});

test('two hundred concurrent edits of one file are all applied', async () => {
  const place = await toolsInWorkspace(
    {},
    { 'list.txt': Array.from({ length: 200 }, (_, at) => `item ${at};`).join('\n') },
  );
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, at) =>
      place.call('edit_file', { path: 'list.txt', old_text: `item ${at};`, new_text: `done ${at};` }),
    ),
  );
  expect(results.filter((result) => result.isError)).toEqual([]);
  expect(place.text('list.txt')).toBe(Array.from({ length: 200 }, (_, at) => `done ${at};`).join('\n'));
});

test.each([
  ['read_file', {}, /path: .*expected string.*Expected \{ path: string, from_line\?: integer/s],
  ['read_file', { path: 'a', from_line: 0 }, /from_line/],
  ['read_file', { path: 'a', lines: 3 }, /"lines"/],
  ['write_file', { path: 'a' }, /content: .*expected string/],
  ['edit_file', { path: 'a', old_text: '', new_text: 'x' }, /old_text/],
  ['list_files', { depth: 'deep' }, /depth: .*expected number/],
  ['search', { pattern: '' }, /pattern/],
  ['run_command', { command: ' ' }, /command/],
  ['run_command', { command: 'true', time_limit_ms: 1e9 }, /time_limit_ms/],
  ['recall', { handle: 'o1', offset: -1 }, /offset/],
  ['task_complete', {}, /summary/],
  ['task_blocked', 'text', /expected object/],
  ['read_file', null, /expected object/],
  ['read_file', [], /expected object/],
])('%s says what it expected of %j', async (name, input, expected) => {
  const place = await toolsInWorkspace();
  const result = await place.call(name, input);
  expect(result.isError).toBe(true);
  expect(result.text).toMatch(expected);
});

test('a provider gets the same tools: a failure is thrown with its message', async () => {
  const place = await toolsInWorkspace();
  const changed: string[] = [];
  const context = {
    callId: 'c',
    signal: new AbortController().signal,
    fileChanged: (path: string) => changed.push(path),
  };
  const [read, write] = place.tools;
  await expect(read?.run({ path: 'none' }, context)).rejects.toThrow('none does not exist');
  expect(await write?.run({ path: 'a', content: 'x' }, context)).toMatch(/^created/);
  expect(changed).toEqual(['a']);
  expect(place.tools.map((tool) => tool.name)).toEqual([
    'read_file',
    'write_file',
    'edit_file',
    'list_files',
    'search',
    'run_command',
    'recall',
    'task_complete',
    'task_blocked',
  ]);
  for (const tool of place.tools)
    expect(tool.input_schema).toMatchObject({ type: 'object', additionalProperties: false });
});

test('nothing is changed unless it is approved', async () => {
  const asked: unknown[] = [];
  const place = await toolsInWorkspace({
    approve: (call) => {
      asked.push(call);
      if (call.name === 'edit_file') throw new Error('nobody is there');
      return call.name === 'write_file' ? 'not on a Friday' : false;
    },
  });
  expect((await place.call('write_file', { path: 'a', content: 'x' })).text).toBe(
    'write_file was not approved: not on a Friday',
  );
  expect((await place.call('edit_file', { path: 'a', old_text: 'x', new_text: 'y' })).text).toMatch(/nobody is there/);
  expect((await place.call('run_command', { command: 'touch a' })).text).toBe('run_command was not approved');
  expect(readdirSync(place.workspace)).toEqual([]);
  expect(asked[0]).toEqual({ name: 'write_file', input: { path: 'a', content: 'x' } });
});

test('task_complete and task_blocked report how the task ended', async () => {
  const outcomes: unknown[] = [];
  const place = await toolsInWorkspace({ onOutcome: (outcome) => outcomes.push(outcome) });
  await place.call('task_complete', { summary: 'all done' });
  await place.call('task_blocked', { reason: 'no key' });
  expect(outcomes).toEqual([
    { type: 'complete', text: 'all done' },
    { type: 'blocked', text: 'no key' },
  ]);
});
