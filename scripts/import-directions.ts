/** The published packages; each may import those above it. */
const ORDER = [
  { folder: 'engine', name: 'holdfast' },
  { folder: 'models', name: '@holdfast/models' },
  { folder: 'sessions', name: '@holdfast/sessions' },
  { folder: 'replay', name: '@holdfast/replay' },
  { folder: 'agent', name: '@holdfast/agent' },
  { folder: 'crew', name: '@holdfast/crew' },
  { folder: 'integrations', name: '@holdfast/integrations' },
  { folder: 'stand-in', name: '@holdfast/stand-in' },
  { folder: 'inspector', name: '@holdfast/inspector' },
  { folder: 'proxy', name: '@holdfast/proxy' },
  { folder: 'cli', name: '@holdfast/cli' },
] as const;

/** The engine's folders and files from top to bottom: each may import itself and those below. */
const ENGINE_LAYERS = [
  ['testing'],
  ['index.ts', 'entries', 'rules/index.ts'],
  ['summarize-messages.ts'],
  ['window.ts', 'configured-budget.ts'],
  ['every-part.ts'],
  ['core-window.ts'],
  ['window'],
  ['summaries'],
  ['reminders'],
  ['history'],
  ['fold'],
  ['config.ts'],
  ['strategies'],
  ['state'],
  ['note'],
  ['view'],
  ['dialects'],
  ['statements'],
  ['calls'],
  ['quoting'],
  ['names'],
  ['secrets'],
  ['handles'],
  ['rules'],
  ['strategy.ts'],
  ['size'],
  ['turns'],
  ['content'],
  ['json'],
  ['errors.ts'],
  ['dialect.ts'],
];

const FROM = /^[ \t]*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm;
const BARE = /^[ \t]*import\s*['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g;
const EXPORT_ALL = /^[ \t]*export\s*\*/m;
const REFUSED_PATH = /(?:^|\/)(?:utils?|common|helpers?|[\w-]*-(?:manager|helper))(?:\/|\.(?:test\.)?[cm]?[jt]sx?$)/i;
const REFUSED_NAME =
  /^[ \t]*(?:export\s+)?(?:abstract\s+|async\s+)?(?:class|interface|type|function|const)\s+(\w+(?:Manager|Helper))\b/m;

/** One place hosts a window with its log and archive; whoever judges policies or tests stores needs a window alone. */
const OPENS_WINDOW = /\bnew ConversationWindow\b/;
const MAY_OPEN_WINDOWS = /^packages\/(?:engine|replay|sessions\/src\/(?:conversation|testing))\//;

/** Every import of a file, including types, grouped by kind. Pure. */
export function importsOf(source: string): string[] {
  return [FROM, BARE, DYNAMIC].flatMap((pattern) => [...source.matchAll(pattern)].map((match) => match[1] ?? ''));
}

/**
 * The problems with a file's imports and names, one line each with advice. `path` is relative to the repository root,
 * with `/`. Tests and files outside `packages/` may import anything. Pure.
 */
export function sourceProblems(path: string, source: string): string[] {
  const problems: string[] = [];
  if (REFUSED_PATH.test(path)) problems.push(`${path}: name the file after what it contains`);
  const [, name] = REFUSED_NAME.exec(source) ?? [];
  if (name !== undefined) problems.push(`${path}: ${name} does not say what it does; choose a name that does`);
  if (EXPORT_ALL.test(source)) problems.push(`${path}: "export *" hides what is public; name each export`);
  const [, folder, inside] = /^packages\/([^/]+)\/src\/(.+)$/.exec(path) ?? [];
  if (folder === undefined || inside === undefined || inside.endsWith('.test.ts')) return problems;
  if (OPENS_WINDOW.test(source) && !MAY_OPEN_WINDOWS.test(path))
    problems.push(
      `${path}: opens a ConversationWindow; take a Conversation of @holdfast/sessions, which keeps its log`,
    );
  return [...problems, ...importsOf(source).flatMap((specifier) => importProblem(path, folder, inside, specifier))];
}

function importProblem(path: string, folder: string, inside: string, specifier: string): string[] {
  const refuse = (advice: string) => [`${path}: imports "${specifier}"; ${advice}`];
  if (specifier.startsWith('.')) {
    const target = resolve(inside, specifier);
    if (target === undefined) return refuse('use relative paths only inside src; import other packages by name');
    if (target.endsWith('.test.ts')) return refuse('source must not import tests');
    return folder === 'engine' ? layerProblem(inside, target).flatMap(refuse) : [];
  }
  if (folder === 'engine') return refuse('the engine may import only its own files, so that it runs anywhere');
  const own = ORDER.findIndex((one) => one.folder === folder);
  const other = ORDER.findIndex(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (/\/internal$/.test(specifier)) return refuse('no package has an internal entry: export it from a public one');
  if (other < 0 || other < own) return [];
  const allowed = ORDER.slice(0, own).map((one) => one.name);
  return refuse(
    own < 0
      ? `add packages/${folder} to the order in scripts/import-directions.ts`
      : `${folder} may import ${allowed.join(', ')}`,
  );
}

function layerProblem(inside: string, target: string): string[] {
  const [from, to] = [layerOf(inside), layerOf(target)];
  if (from < 0) return [`add ${inside} to the layers in scripts/import-directions.ts`];
  if (to > from || (to === from && partOf(inside) === partOf(target))) return [];
  return [`${partOf(inside)} lies below ${partOf(target)} (scripts/import-directions.ts): move what both need down`];
}

/** The layer of an engine file, 0 at the top; -1 if it has none. */
function layerOf(file: string): number {
  const whole = ENGINE_LAYERS.findIndex((layer) => layer.includes(file));
  return whole >= 0 ? whole : ENGINE_LAYERS.findIndex((layer) => layer.includes(partOf(file)));
}

/** The folder of a file inside src, or the file itself. */
function partOf(file: string): string {
  return file.split('/')[0] ?? file;
}

/** One line for each cycle of imports between the files behind the engine's window, types included. Pure. */
export function engineCycles(files: ReadonlyMap<string, string>): string[] {
  const imports = new Map<string, readonly string[]>();
  for (const [path, source] of files) {
    const [, inside] = /^packages\/engine\/src\/(.+)$/.exec(path) ?? [];
    if (inside === undefined || inside.endsWith('.test.ts') || /^testing\//.test(inside)) continue;
    const relative = importsOf(source).filter((specifier) => specifier.startsWith('.'));
    imports.set(
      inside,
      relative.flatMap((specifier) => resolve(inside, specifier) ?? []),
    );
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0)
      cycles.push(`packages/engine/src/${[...path.slice(start), file].join(' imports ')}: break the cycle`);
    if (start >= 0 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return cycles;
}

/** The file inside src that a relative import refers to; undefined if it is outside. */
function resolve(inside: string, specifier: string): string | undefined {
  const parts = inside.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}
