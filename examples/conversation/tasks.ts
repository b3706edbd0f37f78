import { type Module, writeTest } from './code.ts';
import type { Random } from './random.ts';
import { type Step, type Tools, work } from './steps.ts';
import { lineOf, type Workspace } from './workspace.ts';

/** The workspace and tools of a task. */
export interface Scene {
  readonly random: Random;
  readonly workspace: Workspace;
  readonly tools: Tools;
}

/** Yields the steps from a request to its answer, changing the workspace along the way. */
export type Task = (scene: Scene) => Generator<Step>;

const CONTEXT_LINES = 20;

/** Add a guard to a function: often wrong at first, caught by tests or types, then fixed. */
export function* guardTask(scene: Scene): Generator<Step> {
  const { random, workspace, tools } = scene;
  const module = random.pick(workspace.modules);
  const name = random.pick(module.functions.slice(0, 6));
  const todos = [
    `Find out who calls ${name}`,
    `Guard ${name} against an empty ${module.noun}`,
    'Run tests and types',
    'Commit',
  ];
  yield {
    type: 'request',
    text: `${name} in ${module.path} must refuse a ${module.noun} without entries, with a RangeError that names it. Keep the signature.`,
  };
  yield work(`I will look at ${name} and its callers first.`, tools.todo(todos, 0), tools.grep(`${name}(`));
  yield* explore(scene, module);
  const guard = `  if (${module.noun}.entries.length === 0) throw new RangeError(\`${name}: nothing to do for \${${module.noun}.id}\`);`;
  const source = workspace.text(module.path);
  if (source.includes(guard)) {
    yield {
      type: 'answer',
      text: `${name} has that guard already (${module.path}:${lineOf(source, guard)}); I changed nothing.`,
    };
    return;
  }
  const [signature = '', first = ''] = source
    .slice(source.search(new RegExp(`^export (async )?function ${name}\\(`, 'm')))
    .split('\n');
  yield* ambiguousEdit(scene, module);
  yield readAround(scene, module.path, signature);
  const shows = random.pick(['tests', 'types', 'nowhere'] as const);
  const written =
    shows === 'tests'
      ? guard.replace('=== 0', '<= 3')
      : shows === 'types'
        ? guard.replace('entries.length', 'count')
        : guard;
  yield work(undefined, tools.edit(module.path, `${signature}\n${first}`, `${signature}\n${written}\n${first}`));
  if (shows !== 'nowhere') workspace.fault = { shows, module, name, line: written };
  yield work('Now the checks.', tools.todo(todos, 2), tools.test(module.test), tools.types());
  if (shows !== 'nowhere') {
    yield readAround(scene, module.path, written);
    workspace.fault = undefined;
    const why =
      shows === 'tests'
        ? 'The guard also refuses short lists; only an empty one is wrong.'
        : `A ${module.type} has no count; its entries have a length.`;
    yield work(why, tools.edit(module.path, written, guard));
    yield work(undefined, tools.test(module.test), tools.types());
  }
  yield* finish(scene, todos, `Refuse an empty ${module.noun} in ${name}`);
  yield {
    type: 'answer',
    text: `${name} now throws a RangeError for a ${module.noun} without entries; all callers were checked, tests and types pass.`,
  };
}

/** Change a constant and check everything that depends on it. */
export function* limitTask(scene: Scene): Generator<Step> {
  const { random, workspace, tools } = scene;
  const module = random.pick(workspace.modules);
  const constant = random.pick(module.constants);
  const value = (2 + random.int(90)) * 50;
  const todos = [`Read every use of ${constant}`, `Set ${constant} to ${value}`, 'Run all tests', 'Commit'];
  yield {
    type: 'request',
    text: `Operations wants ${constant} at ${value}. See that nothing else assumes the old value.`,
  };
  yield work(undefined, tools.todo(todos, 0), tools.grep(constant));
  yield* explore(scene, module);
  const line = new RegExp(`^export const ${constant} = \\d+;$`, 'm').exec(workspace.text(module.path))?.[0] ?? '';
  yield readAround(scene, module.path, line);
  const changed = `export const ${constant} = ${value};`;
  if (changed !== line)
    yield work(`The uses read ${constant} itself, so one line is enough.`, tools.edit(module.path, line, changed));
  yield work(undefined, tools.todo(todos, 2), tools.test());
  yield* finish(scene, todos, `Set ${constant} to ${value}`);
  yield {
    type: 'answer',
    text: `${constant} is ${value} now (before: ${line.replace(/\D+(\d+);$/, '$1')}). No other place repeats the figure.`,
  };
}

/** Add another test for a function. */
export function* testTask(scene: Scene): Generator<Step> {
  const { random, workspace, tools } = scene;
  const module = random.pick(workspace.modules);
  const name = random.pick(module.functions.slice(0, 6));
  const entries = 2 + random.int(500);
  yield {
    type: 'request',
    text: `We had a report about ${name} with ${entries} entries. Write a test for that case in ${module.test}.`,
  };
  yield work(undefined, tools.grep(name), tools.read(module.test));
  yield* explore(scene, module);
  const last = workspace.text(module.test).trimEnd().split('\n').slice(-4).join('\n');
  const added = writeTest(module, name, `takes ${entries} entries`, random.int(900));
  yield readAround(scene, module.test, last);
  yield work('I add it as the last test of the file.', tools.edit(module.test, last, `${last}\n\n${added}`));
  yield work(undefined, tools.test(module.test));
  yield {
    type: 'answer',
    text: `The case with ${entries} entries passes as the code is: the report must have another cause. The test stays in ${module.test}.`,
  };
}

/** Answer a question from the code, changing nothing. */
export function* questionTask(scene: Scene): Generator<Step> {
  const { random, workspace, tools } = scene;
  const module = random.pick(workspace.modules);
  const constant = random.pick(module.constants);
  const [caller = module] = workspace.modules.filter(({ path }) =>
    workspace.text(path).includes(`/${module.noun}.ts'`),
  );
  yield { type: 'request', text: `How does ${caller.path} depend on ${module.path}, and what happens at ${constant}?` };
  yield work(undefined, tools.grep(`/${module.noun}.ts'`), tools.grep(constant));
  yield* explore(scene, module);
  yield work(undefined, tools.read(caller.path));
  yield {
    type: 'answer',
    text: `${caller.path} calls ${module.functions[0]} and nothing else of ${module.path}. At ${constant} the loops stop or throw a RangeError; no caller catches it.`,
  };
}

/** Reads the module, sometimes after a wrong path. */
function* explore({ random, tools }: Scene, module: Module): Generator<Step> {
  if (random.chance(0.15)) {
    yield work(undefined, tools.read(module.path.replace('src/', 'lib/')));
    yield work('Not there: I look at the layout.', tools.list());
  }
  if (random.chance(0.4)) yield work(undefined, tools.read(module.path), tools.read(module.test));
  else yield work(`Reading ${module.path}.`, tools.read(module.path));
}

/** Tries to edit a line that occurs more than once, and is refused. */
function* ambiguousEdit({ random, workspace, tools }: Scene, module: Module): Generator<Step> {
  const lines = tools.read(module.path).output.split('\n');
  const repeated = lines.find(
    (line) => line.startsWith('  let ') && workspace.text(module.path).split(line).length > 2,
  );
  if (repeated === undefined || !random.chance(0.25)) return;
  yield work(undefined, tools.edit(module.path, repeated, `  // guarded below\n${repeated}`));
}

function readAround({ workspace, tools }: Scene, path: string, part: string): Step {
  const line = lineOf(workspace.text(path), part);
  return work(undefined, tools.read(path, Math.max(0, line - CONTEXT_LINES), 2 * CONTEXT_LINES));
}

function* finish({ random, tools }: Scene, todos: readonly string[], subject: string): Generator<Step> {
  const hash = (random.int(0xfffffff) + 0x10000000).toString(16).slice(-7);
  yield work(undefined, tools.commit(hash, subject), tools.todo(todos, todos.length));
}
