import type { Random } from './random.ts';

/** What other modules need to know about a module of the made-up project. */
export interface Module {
  readonly path: string;
  readonly test: string;
  /** `queue` */
  readonly noun: string;
  /** `Queue` */
  readonly type: string;
  readonly functions: readonly string[];
  readonly constants: readonly string[];
}

const VERBS = ['parse', 'flush', 'merge', 'resolve', 'encode', 'drain', 'check', 'split', 'collect', 'apply', 'prune'];
const THINGS = ['Header', 'Buffer', 'Range', 'Entry', 'Batch', 'Limit', 'Token', 'Lease', 'Cursor', 'State', 'Report'];
const FIELDS = ['size', 'attempts', 'deadline', 'priority', 'weight', 'offset', 'version', 'age'];
const CONSTANTS = ['MAX_ENTRIES', 'TIMEOUT_MS', 'RETRY_LIMIT', 'CHUNK_BYTES', 'LEASE_SECONDS'];

/** Chooses the names that a module in this folder will declare. */
export function planModule(random: Random, folder: string, noun: string): Module {
  const type = noun[0]?.toUpperCase() + noun.slice(1);
  const names = VERBS.flatMap((verb) => THINGS.map((thing) => `${verb}${type}${thing}`));
  return {
    path: `src/${folder}/${noun}.ts`,
    test: `test/${noun}.test.ts`,
    noun,
    type,
    functions: random.shuffle(names).slice(0, 10 + random.int(12)),
    constants: random
      .shuffle(CONSTANTS)
      .slice(0, 3)
      .map((name) => `${noun.toUpperCase()}_${name}`),
  };
}

/** The source of a module: 150 to 400 lines that use what the other modules declare. */
export function writeModule(random: Random, module: Module, others: readonly Module[]): string {
  const { noun, type } = module;
  const used = random.shuffle(others).slice(0, 2);
  const fields = random.shuffle(FIELDS).slice(0, 4);
  const imports = used.map(
    (other) => `import { ${other.functions[0]}, type ${other.type} } from '../${other.path.slice(4)}';`,
  );
  const constants = module.constants.map((name) => `export const ${name} = ${(1 + random.int(40)) * 25};`);
  const functions = module.functions.map((name) => writeFunction(random, { name, module, used, fields }));
  return [
    `/** Everything about a ${noun}: ${fields.join(', ')}. */`,
    ...imports.sort(),
    '',
    ...constants,
    '',
    `export interface ${type} {`,
    '  readonly id: string;',
    ...fields.map((field) => `  readonly ${field}: number;`),
    `  readonly entries: readonly ${type}Entry[];`,
    '}',
    '',
    `export interface ${type}Entry {`,
    '  readonly key: string;',
    ...fields.map((field) => `  readonly ${field}: number;`),
    '}',
    '',
    `export interface ${type}Options {`,
    ...fields.map((field) => `  readonly ${field}?: number;`),
    '  readonly signal?: AbortSignal;',
    '}',
    '',
    functions.join('\n\n'),
    '',
  ].join('\n');
}

/** The tests of a module: one for each of its first functions. */
export function writeTests(random: Random, module: Module): string {
  const tested = module.functions.slice(0, 6);
  const tests = tested.map((name) => writeTest(module, name, 'takes an ordinary value', random.int(900)));
  return [
    "import { expect, test } from 'vitest';",
    `import { ${tested.join(', ')} } from '../${module.path}';`,
    `import { make${module.type} } from './make.ts';`,
    '',
    tests.join('\n\n'),
    '',
  ].join('\n');
}

/** The source of one test. */
export function writeTest(module: Module, name: string, behaviour: string, expected: number): string {
  return [
    `test('${name} ${behaviour}', async () => {`,
    `  const ${module.noun} = make${module.type}({ entries: ${(expected % 7) + 1} });`,
    `  expect(await ${name}(${module.noun})).toMatchObject({ count: ${expected} });`,
    '});',
  ].join('\n');
}

interface Draft {
  readonly name: string;
  readonly module: Module;
  readonly used: readonly Module[];
  readonly fields: readonly string[];
}

function writeFunction(random: Random, { name, module, used, fields }: Draft): string {
  const { noun, type } = module;
  const field = random.pick(fields);
  const second = random.pick(fields);
  const constant = random.pick(module.constants);
  const other = random.pick(used);
  const figure = (1 + random.int(60)) * 16;
  const start = `export function ${name}(${noun}: ${type}, options: ${type}Options = {})`;
  const bodies = [
    [
      `${start}: { count: number } {`,
      `  const limit = options.${field} ?? ${constant};`,
      '  let count = 0;',
      `  for (const entry of ${noun}.entries) {`,
      `    if (entry.${field} > limit) continue;`,
      `    count += entry.${second};`,
      `    if (count >= ${figure}) break;`,
      '  }',
      '  return { count };',
      '}',
    ],
    [
      `${start.replace('export', 'export async')}: Promise<{ count: number }> {`,
      '  let attempt = 0;',
      `  while (attempt < ${constant}) {`,
      '    options.signal?.throwIfAborted();',
      `    const state = await ${other.functions[0]}(toInput(${noun}, attempt));`,
      `    if (state.count > ${figure}) return state;`,
      '    attempt += 1;',
      '  }',
      `  throw new Error(\`${name}: no answer for \${${noun}.id} after \${attempt} attempts\`);`,
      '}',
    ],
    [
      `${start}: { count: number } {`,
      '  const groups = new Map<string, number>();',
      `  for (const { key, ${field} } of ${noun}.entries) {`,
      `    const known = groups.get(key) ?? 0;`,
      `    groups.set(key, known + ${field});`,
      '  }',
      `  const largest = Math.max(${figure}, ...groups.values());`,
      `  if (largest > ${constant}) {`,
      `    throw new RangeError(\`${name}: \${largest} is over ${constant}\`);`,
      '  }',
      '  return { count: largest };',
      '}',
    ],
    [
      `${start}: { count: number; rest: readonly ${type}Entry[] } {`,
      `  const sorted = [...${noun}.entries].sort((a, b) => a.${field} - b.${field});`,
      `  const edge = sorted.findIndex((entry) => entry.${second} > (options.${second} ?? ${figure}));`,
      '  const cut = edge < 0 ? sorted.length : edge;',
      '  const taken = sorted.slice(0, cut);',
      `  const count = taken.reduce((sum, entry) => sum + entry.${field}, 0);`,
      '  return { count, rest: sorted.slice(cut) };',
      '}',
    ],
  ];
  const about = `/** ${name} looks at ${field} and ${second} of a ${noun}; never more than ${constant} at a time. */`;
  return [about, ...random.pick(bodies)].join('\n');
}
