import { expect, test } from 'vitest';
import { parseTask } from './task.ts';

const TASK = `# TASK: Build the window

## Goal
Create a module.

It is new.

## Task Type
feature

## Suggested Roles
- developer
- reviewer

## Scope
### Allowed
- src/window.ts (new file)

### Forbidden
- src/other.ts (read-only)

## Requirements
1. One.

\`\`\`md
## Goal
not this one
\`\`\`

### More
2. Two.

## Definition of Done
- [ ] it is there
- [x] it is tested
* plain
1. counted

## Notes
- Part of a plan
`;

test('a task file is read: title, goal, type, roles, scope, requirements, definition of done', () => {
  const task = parseTask(TASK, 'TASK.md');
  expect(task).toMatchObject({
    title: 'Build the window',
    goal: 'Create a module.\n\nIt is new.',
    type: 'feature',
    roles: ['developer', 'reviewer'],
    definitionOfDone: ['it is there', 'it is tested', 'plain', 'counted'],
    warnings: [],
  });
  expect(task.requirements).toContain('2. Two.');
  expect(task.scope.allowed?.map(({ patterns }) => patterns)).toEqual([['src/window.ts']]);
  expect(task.scope.forbidden[0]).toMatchObject({ patterns: ['src/other.ts'], readOnly: true });
});

test('the same with CRLF and a byte order mark, "## Type", bold and closed headings', () => {
  const windows = parseTask(`\ufeff${TASK.replace('## Task Type', '## Type').replaceAll('\n', '\r\n')}`);
  expect(windows).toMatchObject({ title: 'Build the window', type: 'feature', roles: ['developer', 'reviewer'] });
  expect(parseTask('## **Goal** ##\nDo it.\n').goal).toBe('Do it.');
});

test('a text without headings is a goal, with a warning; nothing at all is an error', () => {
  const task = parseTask('Mend the build.\nAll of it.', 'TASK.md');
  expect(task).toMatchObject({ title: 'Mend the build.', goal: 'Mend the build.\nAll of it.', roles: [] });
  expect(task.warnings).toEqual(['TASK.md has no "## Goal": using the whole text']);
  expect(() => parseTask(' \n\t\n', 'TASK.md')).toThrow('TASK.md is empty');
});

test('warns about an empty list in the scope', () => {
  const { warnings } = parseTask('## Goal\nx\n## Scope\n### Allowed\n', 'TASK.md');
  expect(warnings).toEqual([expect.stringContaining('TASK.md, scope: Allowed is empty')]);
});

test.each(['Forbidden\n- the database schema', 'Allowed\n- src\n- ../x'])(
  'a scope that cannot be understood is an error: %j',
  (list) => {
    const task = `## Goal\nx\n## Scope\n### ${list}\n`;
    expect(() => parseTask(task, 'TASK.md')).toThrow(
      /^TASK.md, scope: \w+ "(?:the database schema|\.\.\/x)" cannot be/,
    );
  },
);

test('neither an unclosed nor a long code fence hides a section', () => {
  const rest = '## Scope\n### Forbidden\n- src/a.ts\n## Definition of Done\n- [ ] done\n';
  for (const code of ['```sh\nnpm test\n', '````md\n```\n````\n', '~~~\n```\n~~~\n']) {
    const task = parseTask(`# A title\n## Goal\nx\n${code}${rest}`);
    expect(task).toMatchObject({ title: 'A title', definitionOfDone: ['done'] });
    expect(task.scope.forbidden[0]?.patterns).toEqual(['src/a.ts']);
  }
  expect(parseTask('```\n# none\n```\nThe title\n=====\n').title).toBe('The title');
});
