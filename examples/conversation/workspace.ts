import { type Module, planModule, writeModule, writeTests } from './code.ts';
import type { Random } from './random.ts';

/** The result of a tool. */
export interface Output {
  readonly output: string;
  readonly error?: boolean;
}

/** A current bug in the project, and which check reveals it. */
export interface Fault {
  readonly shows: 'tests' | 'types';
  readonly module: Module;
  readonly name: string;
  readonly line: string;
}

/** A made-up project and its tools. Every result is derived from the current text of its files. */
export interface Workspace {
  readonly modules: readonly Module[];
  /** Set while the project is broken. */
  fault: Fault | undefined;
  text(path: string): string;
  list(): Output;
  read(path: string, offset?: number, limit?: number): Output;
  grep(pattern: string): Output;
  edit(path: string, oldString: string, newString: string): Output;
  runTests(path?: string): Output;
  checkTypes(): Output;
  commit(hash: string, subject: string): Output;
}

const FOLDERS = ['core', 'http', 'store'];
const NOUNS = ['queue', 'session', 'retry', 'schedule', 'bucket', 'router', 'ledger', 'codec', 'webhook', 'cursor'];
const READ_LINES = 240;
const GREP_LINES = 40;
const SNIPPET_LINES = 3;

/** A project of ten modules and their tests. */
export function createWorkspace(random: Random): Workspace {
  const modules = NOUNS.map((noun) => planModule(random, random.pick(FOLDERS), noun));
  const files = new Map<string, string>();
  for (const module of modules) {
    files.set(
      module.path,
      writeModule(
        random,
        module,
        modules.filter((other) => other !== module),
      ),
    );
    files.set(module.test, writeTests(random, module));
  }
  const changed = new Map<string, { added: number; removed: number }>();

  const workspace: Workspace = {
    modules,
    fault: undefined,
    text: (path) => files.get(path) ?? '',
    list: () => ({
      output: [...files].map(([path, text]) => `${text.length.toString().padStart(7)} ${path}`).join('\n'),
    }),
    read(path, offset = 0, limit = READ_LINES) {
      const text = files.get(path);
      if (text === undefined) return { output: `File does not exist: ${path}`, error: true };
      const lines = text.split('\n');
      const end = Math.min(lines.length, offset + limit);
      const rest = end < lines.length ? `\n(lines ${offset + 1} to ${end} of ${lines.length})` : '';
      return { output: lines.slice(offset, end).join('\n') + rest };
    },
    grep(pattern) {
      const found = [...files].flatMap(([path, text]) =>
        text.split('\n').flatMap((line, at) => (line.includes(pattern) ? [`${path}:${at + 1}:${line}`] : [])),
      );
      return { output: found.length === 0 ? 'No matches found' : found.slice(0, GREP_LINES).join('\n') };
    },
    edit(path, oldString, newString) {
      const text = files.get(path) ?? '';
      const matches = text.split(oldString).length - 1;
      if (matches !== 1) {
        const advice = matches === 0 ? 'read the file again' : 'add lines around it to make it unique';
        return { output: `Found ${matches} matches of old_string in ${path}: ${advice}`, error: true };
      }
      files.set(
        path,
        text.replace(oldString, () => newString),
      );
      const tally = changed.get(path) ?? { added: 0, removed: 0 };
      changed.set(path, {
        added: tally.added + newString.split('\n').length,
        removed: tally.removed + oldString.split('\n').length,
      });
      const first = Math.max(0, text.slice(0, text.indexOf(oldString)).split('\n').length - 1 - SNIPPET_LINES);
      const snippet = workspace.read(path, first, newString.split('\n').length + 2 * SNIPPET_LINES).output;
      return { output: `Updated ${path}. Around the change it now reads:\n${snippet}` };
    },
    runTests: (path) => testReport(files, workspace.fault, path),
    checkTypes() {
      const { fault } = workspace;
      if (fault?.shows !== 'types') return { output: 'exit code: 0' };
      const at = lineOf(files.get(fault.module.path) ?? '', fault.line);
      const where = `${fault.module.path}(${at},${fault.line.search(/\S/) + 1})`;
      return {
        output: `exit code: 2\n${where}: error TS2339: Property 'count' does not exist on type '${fault.module.type}'.`,
      };
    },
    commit(hash, subject) {
      const tallies = [...changed.values()];
      const sum = (key: 'added' | 'removed') => tallies.reduce((total, tally) => total + tally[key], 0);
      changed.clear();
      const counts = `${tallies.length} files changed, ${sum('added')} insertions(+), ${sum('removed')} deletions(-)`;
      return { output: `exit code: 0\n[main ${hash}] ${subject}\n ${counts}` };
    },
  };
  return workspace;
}

/** The line number, starting at 1, where this text begins. */
export function lineOf(text: string, part: string): number {
  return text.slice(0, Math.max(0, text.indexOf(part))).split('\n').length;
}

function testReport(files: ReadonlyMap<string, string>, fault: Fault | undefined, only: string | undefined): Output {
  const suites = [...files].filter(([path]) => path.startsWith('test/') && (only === undefined || path === only));
  const failing = fault?.shows === 'tests' ? fault : undefined;
  let passed = 0;
  const lines = suites.map(([path, text]) => {
    const tests = text.split("\ntest('").length - 1;
    const failed = failing?.module.test === path ? 1 : 0;
    passed += tests - failed;
    return ` ${failed > 0 ? '✗' : '✓'} ${path} (${tests} tests${failed > 0 ? ' | 1 failed' : ''}) ${tests * 3 + path.length} ms`;
  });
  const hit = failing !== undefined && suites.some(([path]) => path === failing.module.test);
  if (hit) lines.push(...failure(files, failing));
  lines.push('', `      Tests  ${hit ? '1 failed | ' : ''}${passed} passed (${passed + (hit ? 1 : 0)})`);
  return { output: `exit code: ${hit ? 1 : 0}\n${lines.join('\n')}` };
}

function failure(files: ReadonlyMap<string, string>, { module, name, line }: Fault): string[] {
  return [
    '',
    ` FAIL  ${module.test} > ${name} takes an ordinary value`,
    `RangeError: ${name}: nothing to do for ${module.noun}-1`,
    ` ❯ ${name} ${module.path}:${lineOf(files.get(module.path) ?? '', line)}:${line.search(/\S/) + 1}`,
    ` ❯ ${module.test}:${lineOf(files.get(module.test) ?? '', `await ${name}(`)}:16`,
  ];
}
