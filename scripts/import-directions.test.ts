import { expect, test } from 'vitest';
import { engineCycles, importsOf, sourceProblems } from './import-directions.ts';

test('finds every form of import', () => {
  const source = [
    "import { a } from './a.ts';",
    "import type {\n  B,\n  C,\n} from './b.ts';",
    "export { d } from './d.ts';",
    "import './e.ts';",
    "const f = await import('./f.ts');",
    "const text = 'nothing from here';",
  ].join('\n');
  expect(importsOf(source)).toEqual(['./a.ts', './b.ts', './d.ts', './e.ts', './f.ts']);
});

test.each([
  ['packages/engine/src/fold/fold.ts', './mask.ts'],
  ['packages/engine/src/dialects/anthropic/dialect.ts', '../../content/text.ts'],
  ['packages/engine/src/window/fit.ts', '../history/update.ts'],
  ['packages/engine/src/history/append.ts', '../view/view.ts'],
  ['packages/replay/src/replay.ts', 'holdfast/counter'],
  ['packages/engine/src/fold.test.ts', 'vitest'],
  ['packages/engine/test/property.test.ts', '@holdfast/replay'],
  ['packages/sessions/src/sqlite/sqlite.ts', 'node:sqlite'],
  ['packages/agent/src/executor/run.ts', '@holdfast/replay'],
  ['packages/sessions/src/entry.ts', '@holdfast/models'],
  ['packages/crew/src/request/run.ts', '@holdfast/agent/config'],
  ['packages/cli/src/main.ts', '@holdfast/stand-in'],
  ['examples/start.ts', 'holdfast'],
])('%s may import %s', (path, specifier) => {
  expect(sourceProblems(path, `import { x } from '${specifier}';`)).toEqual([]);
});

test.each([
  ['packages/engine/src/fold/fold.ts', 'node:fs'],
  ['packages/engine/src/fold/fold.ts', 'zod'],
  ['packages/engine/src/fold/fold.ts', '@holdfast/agent'],
  ['packages/engine/src/fold/fold.ts', '../../../agent/src/index.ts'],
  ['packages/engine/src/note/digest.ts', '@holdfast/replay'],
  ['packages/engine/src/note/digest.ts', '../fold/fold.ts'],
  ['packages/engine/src/view/view.ts', '../history/memory.ts'],
  ['packages/engine/src/history/append.ts', '../window/fit.ts'],
  ['packages/engine/src/unplaced/text.ts', '../errors.ts'],
  ['packages/engine/src/fold/fold.ts', './fold.test.ts'],
  ['packages/models/src/money.ts', '@holdfast/sessions'],
  ['packages/sessions/src/entry.ts', '@holdfast/replay'],
  ['packages/crew/src/request/run.ts', '@holdfast/cli'],
  ['packages/cli/src/run/run.ts', '@holdfast/agent/internal'],
  ['packages/crew/src/request/run.ts', '@holdfast/stand-in/server'],
  ['packages/agent/src/executor/executor.ts', '@holdfast/crew'],
  ['packages/agent/src/executor/executor.ts', '@holdfast/agent'],
  ['packages/extra/src/index.ts', 'holdfast'],
])('%s may not import %s', (path, specifier) => {
  const [problem] = sourceProblems(path, `import type { X } from '${specifier}';`);
  expect(problem).toContain(`${path}: imports "${specifier}"`);
});

test.each([
  ['packages/engine/src/utils/text.ts', 'export const a = 1;'],
  ['packages/engine/src/common.ts', 'export const a = 1;'],
  ['packages/agent/src/session-manager.ts', 'export const a = 1;'],
  ['packages/engine/src/fold/fold.ts', 'export class FoldManager {}'],
  ['examples/start.ts', 'function printHelper() {}'],
  ['packages/engine/src/index.ts', "export * from './window.ts';"],
])('%s with %j is refused', (path, source) => {
  expect(sourceProblems(path, source)).toHaveLength(1);
});

test('only the host of conversations opens windows', () => {
  const source = 'const window = new ConversationWindow<M>(config, parts);';
  for (const path of [
    'agent/src/loop/a.ts',
    'crew/src/a.ts',
    'proxy/src/a.ts',
    'integrations/src/a.ts',
    'cli/src/a.ts',
  ])
    expect(sourceProblems(`packages/${path}`, source)).toEqual([expect.stringContaining('take a Conversation')]);
  for (const path of ['sessions/src/conversation/a.ts', 'engine/src/window.ts', 'agent/src/loop/a.test.ts'])
    expect(sourceProblems(`packages/${path}`, source)).toEqual([]);
});

test('finds a cycle of imports in the engine, types included', () => {
  const file = (name: string, target: string) =>
    [`packages/engine/src/${name}`, `import type { X } from '${target}';`] as const;
  expect(engineCycles(new Map([file('view/a.ts', './b.ts'), file('view/b.ts', '../text/c.ts')]))).toEqual([]);
  const [cycle] = engineCycles(new Map([file('view/a.ts', './b.ts'), file('view/b.ts', './a.ts')]));
  expect(cycle).toContain('view/a.ts imports view/b.ts imports view/a.ts');
});
