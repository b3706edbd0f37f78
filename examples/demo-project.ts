import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRandom } from './conversation/random.ts';
import { createWorkspace } from './conversation/workspace.ts';

const TASK = `# TASK: Mark the lines that changed

## Goal
Go through the project file by file, and mark each line that you improve.

## Task Type
refactor

## Scope
### Allowed
- src/**

## Requirements
1. Read a file before you change it.
2. Change one line at a time.

## Definition of Done
- [ ] every file was looked at
- [ ] nothing outside of src/ was touched
`;

const CONFIG = `# The configuration that \`npm start\` uses; \`holdfast init\` writes one with all keys.
provider:
  type: stand-in   # a script instead of a model
  calls: 150
  edits: true
execution:
  conversation:
    max_messages: 30
validation:
  commands:
    - test -d src
`;

/** Creates a folder whose `project` has sources, rules, a task and a configuration. Returns the folder. */
export function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-start-'));
  const { modules, text } = createWorkspace(createRandom(1));
  const write = (path: string, content: string) => {
    const full = join(folder, 'project', path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
  };
  for (const path of modules.flatMap(({ path, test }) => [path, test])) write(path, text(path));
  write('AGENTS.md', '# Rules\n\n- Never delete a line.\n- Say what you did, briefly.\n');
  write('TASK.md', TASK);
  write('holdfast.yml', CONFIG);
  return folder;
}
