import { expect, test } from 'vitest';
import { callFacts, factsWithResult } from './call-facts.ts';
import type { FileUse } from './file-use.ts';

const factsOf = (name: string, input: unknown) => callFacts({ id: 'c', name, input });
const usesOf = (name: string, input: unknown) => factsOf(name, input).uses;

test.each<[string, string, unknown, FileUse[]]>([
  ['Claude Code', 'Read', { file_path: '/r/a.ts' }, [{ file: '/r/a.ts', use: 'read' }]],
  [
    'Claude Code',
    'Read',
    { file_path: '/r/a.ts', offset: 20, limit: 30 },
    [{ file: '/r/a.ts', use: 'read', lines: [20, 49] }],
  ],
  ['Claude Code', 'Read', { file_path: '/r/a.ts', offset: 20 }, [{ file: '/r/a.ts', use: 'read', lines: [20] }]],
  ['opencode', 'read', { filePath: '/r/a.ts', limit: 9 }, [{ file: '/r/a.ts', use: 'read', lines: [1, 9] }]],
  [
    'VS Code',
    'read_file',
    { filePath: '/r/a.ts', startLine: 3, endLine: 8 },
    [{ file: '/r/a.ts', use: 'read', lines: [3, 8] }],
  ],
  [
    'older VS Code',
    'read_file',
    { filePath: 'a.ts', startLineNumberBaseZero: 3, endLineNumberBaseZero: 8 },
    [{ file: 'a.ts', use: 'read', lines: [4, 9] }],
  ],
  [
    'OpenHands',
    'str_replace_editor',
    { command: 'view', path: '/r/a.py', view_range: [5, 40] },
    [{ file: '/r/a.py', use: 'read', lines: [5, 40] }],
  ],
  [
    'OpenHands, to the end',
    'str_replace_editor',
    { command: 'view', path: '/r/a.py', view_range: [5, -1] },
    [{ file: '/r/a.py', use: 'read', lines: [5] }],
  ],
  ['Copilot CLI', 'view', { path: '/r/a.py' }, [{ file: '/r/a.py', use: 'read' }]],
  ['Gemini CLI', 'read_file', { absolute_path: '/r/a.py' }, [{ file: '/r/a.py', use: 'read' }]],
  [
    'read of many files',
    'read_multiple_files',
    { paths: ['a.md', 'b.md'] },
    [
      { file: 'a.md', use: 'read' },
      { file: 'b.md', use: 'read' },
    ],
  ],
  [
    'read of many ranges',
    'read_file',
    { files: [{ path: 'a.md', line_range: '3-9' }, { path: 'b.md' }] },
    [
      { file: 'a.md', use: 'read', lines: [3, 9] },
      { file: 'b.md', use: 'read' },
    ],
  ],
  [
    'a page',
    'WebFetch',
    { url: 'https://example.org/guide/#intro', prompt: 'sum up' },
    [{ file: 'https://example.org/guide', use: 'read' }],
  ],
])('the file and the lines that a read of %s asks for', (_agent, name, input, uses) => {
  expect(usesOf(name, input)).toEqual(uses);
  expect(factsOf(name, input).kind).toBe('read');
});

const OLD = 'let a = 1;';
const NEW = 'let a = 2;';

test.each<[string, string, unknown, FileUse[]]>([
  [
    'Claude Code',
    'Edit',
    { file_path: 'a.ts', old_string: OLD, new_string: NEW, replace_all: false },
    [{ file: 'a.ts', use: 'change', put: [NEW], replaced: [OLD] }],
  ],
  [
    'Claude Code, many at once',
    'MultiEdit',
    { file_path: 'a.ts', edits: [{ old_string: OLD, new_string: NEW }] },
    [{ file: 'a.ts', use: 'change', put: [NEW], replaced: [OLD] }],
  ],
  ['Claude Code', 'Write', { file_path: 'a.ts', content: NEW }, [{ file: 'a.ts', use: 'create', put: [NEW] }]],
  [
    'Claude Code',
    'NotebookEdit',
    { notebook_path: 'a.ipynb', cell_id: '3', new_source: NEW },
    [{ file: 'a.ipynb', use: 'change', put: [NEW] }],
  ],
  [
    'opencode',
    'edit',
    { filePath: 'a.ts', oldString: OLD, newString: NEW },
    [{ file: 'a.ts', use: 'change', put: [NEW], replaced: [OLD] }],
  ],
  [
    'pi',
    'edit',
    { path: 'a.ts', oldText: OLD, newText: NEW },
    [{ file: 'a.ts', use: 'change', put: [NEW], replaced: [OLD] }],
  ],
  [
    'VS Code, several files',
    'multi_replace_string_in_file',
    { explanation: 'x', replacements: [{ filePath: 'a.ts', oldString: OLD, newString: NEW }] },
    [{ file: 'a.ts', use: 'change', put: [NEW], replaced: [OLD] }],
  ],
  [
    'VS Code',
    'insert_edit_into_file',
    { explanation: 'x', filePath: 'a.ts', code: NEW },
    [{ file: 'a.ts', use: 'change', put: [NEW] }],
  ],
  ['VS Code', 'create_file', { filePath: 'a.ts', content: NEW }, [{ file: 'a.ts', use: 'create', put: [NEW] }]],
  [
    'OpenHands',
    'str_replace_editor',
    { command: 'str_replace', path: '/r/a.py', old_str: OLD, new_str: NEW },
    [{ file: '/r/a.py', use: 'change', put: [NEW], replaced: [OLD] }],
  ],
  [
    'OpenHands',
    'str_replace_editor',
    { command: 'insert', path: '/r/a.py', insert_line: 3, new_str: NEW },
    [{ file: '/r/a.py', use: 'change', put: [NEW] }],
  ],
  [
    'OpenHands',
    'str_replace_editor',
    { command: 'create', path: '/r/a.py', file_text: NEW },
    [{ file: '/r/a.py', use: 'create', put: [NEW] }],
  ],
  [
    'Gemini CLI',
    'replace',
    { file_path: 'a.ts', instruction: 'x', old_string: OLD, new_string: NEW },
    [{ file: 'a.ts', use: 'change', put: [NEW], replaced: [OLD] }],
  ],
  [
    'Cline',
    'replace_in_file',
    { path: 'a.ts', diff: `<<<<<<< SEARCH\n${OLD}\n=======\n${NEW}\n>>>>>>> REPLACE` },
    [{ file: 'a.ts', use: 'change', put: [NEW], replaced: [OLD] }],
  ],
  ['a file server', 'move_file', { source: 'a.ts', destination: 'b.ts' }, [{ file: 'a.ts', use: 'move', to: 'b.ts' }]],
  ['a file server', 'delete_file', { path: 'a.ts' }, [{ file: 'a.ts', use: 'delete' }]],
])('the file and the texts that a write of %s changes', (_agent, name, input, uses) => {
  expect(usesOf(name, input)).toEqual(uses);
  expect(factsOf(name, JSON.stringify(input)).kind).toBe('write');
});

const PATCH = `*** Begin Patch
*** Update File: src/a.ts
@@ function f
 let z = 0;
-let a = 1;
+let a = 2;
*** Add File: src/b.ts
+let b = 1;
*** Delete File: src/c.ts
*** Update File: src/d.ts
*** Move to: src/e.ts
@@
-let d = 1;
*** End Patch`;

const PATCHED: FileUse[] = [
  { file: 'src/a.ts', use: 'change', put: ['let z = 0;\nlet a = 2;'], replaced: ['let z = 0;\nlet a = 1;'] },
  { file: 'src/b.ts', use: 'create', put: ['let b = 1;'] },
  { file: 'src/c.ts', use: 'delete' },
  { file: 'src/d.ts', use: 'move', to: 'src/e.ts', replaced: ['let d = 1;'] },
];

test.each<[string, string, unknown]>([
  ['as free text', 'apply_patch', PATCH],
  ['as input', 'apply_patch', { input: PATCH }],
  ['as patchText', 'patch', { patchText: PATCH }],
  ['through the shell', 'exec_command', { cmd: `apply_patch <<'EOF'\n${PATCH}\nEOF` }],
  ['as arguments of a command', 'shell', { command: ['apply_patch', PATCH] }],
])('the files and lines of a patch %s', (_how, name, input) => {
  expect(usesOf(name, input)).toEqual(PATCHED);
  expect(factsOf(name, input)).toMatchObject({
    kind: 'write',
    files: ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts', 'src/e.ts'],
  });
});

test('the files and lines of a unified diff', () => {
  const patch = '--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n--- /dev/null\n+++ b/y.go\n@@ -0,0 +1 @@\n+d\n';
  expect(usesOf('apply_diff', { patch })).toEqual([
    { file: 'x.go', use: 'change', put: ['a\nc'], replaced: ['a\nb'] },
    { file: 'y.go', use: 'create', put: ['d'] },
  ]);
});

test('a search has a use of the file it searches, but not of a folder', () => {
  expect(factsOf('Grep', { pattern: 'x', path: 'src/a.ts' })).toMatchObject({
    kind: 'search',
    uses: [{ file: 'src/a.ts', use: 'search' }],
  });
  expect(factsOf('grep', { pattern: 'x', path: '/r/src' })).toMatchObject({
    kind: 'search',
    files: ['/r/src'],
    uses: [],
  });
  expect(usesOf('search_in_file', { path: 'a.ts', search: 'x' })).toEqual([{ file: 'a.ts', use: 'search' }]);
  expect(factsOf('list_dir', { path: '/r/src' })).toMatchObject({ kind: 'search', uses: [] });
});

test.each([
  ['an argument list', 'shell', { command: ['bash', '-lc', "sed -n '1,9p' a.go"] }],
  ['an argument list without a shell', 'shell', { command: ['sed', '-n', '1,9p', 'a.go'] }],
  ['cmd', 'exec_command', { cmd: "sed -n '1,9p' a.go", workdir: '/r' }],
  ['keystrokes', 'run', { commands: [{ keystrokes: "sed -n '1,9p' a.go\n" }] }],
  [
    'JavaScript that runs it',
    'exec',
    'const r = await tools.exec_command({cmd: "sed -n \'1,9p\' a.go"}); text(r.output)',
  ],
  ['Python that runs it', 'python', { code: 'print(subprocess.getoutput("sed -n \'1,9p\' a.go"))' }],
  ['a cell of a notebook', 'execute', { action: "!sed -n '1,9p' a.go" }],
])('a command line given as %s', (_how, name, input) => {
  expect(factsOf(name, input)).toMatchObject({ kind: 'read', uses: [{ file: 'a.go', use: 'read', lines: [1, 9] }] });
});

test('a patch in a string of code', () => {
  const code = `const patch = ${JSON.stringify(PATCH)};\ntext(await tools.apply_patch(patch));`;
  expect(usesOf('exec', { input: code })).toEqual(PATCHED);
});

test('text typed into a running program is a command', () => {
  expect(factsOf('write_stdin', { session_id: 3, chars: 'y\n' })).toMatchObject({ kind: 'command', uses: [] });
  expect(factsOf('write_stdin', { session_id: 3, chars: '' })).toMatchObject({ kind: 'command', uses: [] });
});

test.each<[string, string, FileUse[]]>([
  ['open', 'open src/a.py 12', [{ file: 'src/a.py', use: 'read', lines: [12] }]],
  ['create', 'create src/b.py', [{ file: 'src/b.py', use: 'create' }]],
  ['edit', 'edit src/a.py 1:2\nx = 1\nend_of_edit', [{ file: 'src/a.py', use: 'change', put: ['x = 1'] }]],
  [
    'edit of other agents',
    'src/a.py\n<<<BEFORE_EDIT>>>\nx = 1\n<<<AFTER_EDIT>>>\nx = 2\n',
    [{ file: 'src/a.py', use: 'change', put: ['x = 2'], replaced: ['x = 1'] }],
  ],
  ['search_file', 'search_file main src/a.py', [{ file: 'src/a.py', use: 'search' }]],
])("SWE-agent's %s", (name, action, uses) => {
  expect(usesOf(name, { action })).toEqual(uses);
});

test.each<[string, string, unknown, string, FileUse]>([
  [
    'an edit of the open file',
    'edit',
    { action: 'edit 1:2\nx = 1\nend_of_edit' },
    '[File: /r/a.py (9 lines total)]\n1:x',
    { file: '/r/a.py', use: 'change' },
  ],
  [
    'a scroll',
    'goto',
    { action: 'goto 90' },
    '[File: /r/a.py (99 lines total)]\n(80 more lines above)',
    { file: '/r/a.py', use: 'read' },
  ],
  [
    'a click',
    'browser_click',
    { ref: 'e5' },
    '### Page state\n- Page URL: https://example.org/cart\n- Page Title: Cart',
    { file: 'https://example.org/cart', use: 'read' },
  ],
  [
    'the next page',
    'page_down',
    {},
    'Address: https://example.org/long\nViewport position: Showing page 2 of 9.',
    { file: 'https://example.org/long', use: 'read' },
  ],
])('the result tells the file of %s', (_what, name, input, output, use) => {
  const call = { id: 'c', name, input };
  expect(callFacts(call).uses).toEqual([]);
  expect(factsWithResult(call, output).uses).toEqual([use]);
});

test('an edit that leaves the file to the editor is a write without a file', () => {
  expect(factsOf('edit', { search: OLD, replace: NEW })).toMatchObject({ kind: 'write', files: [] });
});

test.each([
  ['TodoWrite', { todos: [{ content: 'x', status: 'pending' }] }],
  ['update_plan', { plan: [{ step: 'x' }] }],
  ['create_issue', { title: 'x', description: 'y' }],
  ['get_user_details', { user_id: 'u1' }],
  ['book_flight', { origin: 'JFK', destination: 'LAX' }],
  ['report_findings', { findings: [{ file: 'a.ts', line: 3, text: 'x' }] }],
  ['update_issue', { id: 'A-1', links: [{ url: 'https://example.org/a', title: 'a' }] }],
])('%s, which names no file, neither reads nor writes one', (name, input) => {
  expect(factsOf(name, input)).toMatchObject({ kind: 'other', files: [], uses: [] });
});

test('arguments of any form are read without an error', () => {
  for (const input of [undefined, null, 7, '', '[1]', '{"a":', [], { path: 3, edits: [null, 'x', { old_string: 1 }] }])
    expect(factsOf('edit', input).uses).toEqual([]);
});
