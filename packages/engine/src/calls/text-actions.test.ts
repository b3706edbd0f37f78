import { expect, test } from 'vitest';
import { textAction } from './call-facts.ts';
import type { FileUse } from './file-use.ts';
import { isObservation } from './text-actions.ts';

test.each<[string, string, FileUse[]]>([
  ['XML', 'I look first.\n<read_file>\n<path>src/a.ts</path>\n</read_file>', [{ file: 'src/a.ts', use: 'read' }]],
  [
    'XML with a text',
    '<write_to_file>\n<path>a.ts</path>\n<content>\nlet a = 1;\n</content>\n</write_to_file>',
    [{ file: 'a.ts', use: 'create', put: ['let a = 1;'] }],
  ],
  [
    'XML with a command',
    '<execute_command>\n<command>cat a.ts</command>\n</execute_command>',
    [{ file: 'a.ts', use: 'read' }],
  ],
  [
    'functions',
    '<function=str_replace_editor>\n<parameter=command>view</parameter>\n<parameter=path>/r/a.py</parameter>\n</function>',
    [{ file: '/r/a.py', use: 'read' }],
  ],
  ['ReAct', 'Thought: look\nAction: read_file\nAction Input: src/a.py', [{ file: 'src/a.py', use: 'read' }]],
  ['ReAct with JSON', 'Action: view\nAction Input: {"path": "a.py"}', [{ file: 'a.py', use: 'read' }]],
  ['ReAct with a command', 'Action: bash\nAction Input: head -5 a.py', [{ file: 'a.py', use: 'read', lines: [1, 5] }]],
  ['JSON', '```json\n{"action": "read_file", "action_input": {"path": "a.py"}}\n```', [{ file: 'a.py', use: 'read' }]],
  ['code', 'Thought: x\nCode:\n```py\nprint(open("a.py").read())\n```<end_code>', [{ file: 'a.py', use: 'read' }]],
  ['a stated command', 'DISCUSSION\nI open it.\n```\nopen a.py 9\n```', [{ file: 'a.py', use: 'read', lines: [9] }]],
  [
    'SEARCH/REPLACE',
    'Done:\n\na.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```',
    [{ file: 'a.py', use: 'change', put: ['x = 2'], replaced: ['x = 1'] }],
  ],
])('what an action written as %s did', (_form, text, uses) => {
  expect(textAction(text)).toEqual(uses);
});

test('advice is not an action', () => {
  for (const text of [
    'Run this:\n```bash\nrm a.py\n```',
    'Use <b>bold</b> in <my_tag>x</my_tag>.',
    'The action: read a.py',
  ])
    expect(textAction(text)).toEqual([]);
});

test.each([
  'Observation: 3 files',
  'Call id: call_1\nObservation:\nok',
  '<returncode>1</returncode>\n<output>\nx\n</output>',
  "[read_file for 'a.ts'] Result:\n1 | x",
  'EXECUTION RESULT of [execute_bash]:\nok',
])("%j is a tool's answer", (text) => {
  expect(isObservation(text)).toBe(true);
});

test.each([
  'My observation: it is slow. Fix it.',
  '<config><path>a</path></config> is what I have; why does it fail?',
  'Never touch a.ts. Result: broken build',
  'Solve this issue: the parser fails.\n(Open file: n/a)\n(Current directory: /r)\nbash-$',
])('%j are the words of a user', (text) => {
  expect(isObservation(text)).toBe(false);
});
