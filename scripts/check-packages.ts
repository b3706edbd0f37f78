import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { bundleApp } from './build-app.ts';
import { bundlePackage } from './bundle.ts';
import { engineCycles, sourceProblems } from './import-directions.ts';
import { packageTexts, textProblems } from './package-texts.ts';
import { anchorsOf, deadLinks, linksOf, missingDecisions } from './references.ts';
import { sharedNames } from './shared-names.ts';
import { forPackage } from './ship-docs.mjs';

/** The result of a check: a line to print, and its problems, each with advice. */
interface Finding {
  readonly shown: string;
  readonly problems: readonly string[];
}

const ROOT = join(import.meta.dirname, '..');
const BUNDLE_BYTES = 116 * 1_024;
const CORE_BYTES = 85_000;
const APP_BYTES = 60_000;
const SOURCES = [
  'packages/*/src/**/*.ts',
  'packages/inspector/app/**/*.{ts,tsx}',
  'packages/*/test/**/*.ts',
  'packages/proxy/clients/**/*.ts',
  'examples/**/*.ts',
  'scripts/**/*.ts',
];

let failed = false;
for (const check of [
  checkSources,
  checkTexts,
  checkPublished,
  checkShipped,
  checkEngine,
  checkCore,
  checkApp,
  checkPages,
  checkReferences,
  checkLockFiles,
]) {
  for (const { shown, problems } of await check()) {
    console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${shown}`);
    for (const problem of problems) console.log(`       ${problem}`);
    failed ||= problems.length > 0;
  }
}
process.exitCode = failed ? 1 : 0;

function checkSources(): Finding[] {
  const paths = globSync(SOURCES, { cwd: ROOT }).map((path) => path.split(sep).join('/'));
  const problems = paths.toSorted().flatMap((path) => sourceProblems(path, text(path)));
  problems.push(...engineCycles(new Map(paths.map((path) => [path, text(path)]))));
  const shared = sharedNames(paths.map((path) => [path, text(path)]));
  return [
    { shown: `imports and names of ${paths.length} files`, problems },
    { shown: 'one name for one type', problems: shared },
  ];
}

/** Packages talk through data: none reads another's words. */
function checkTexts(): Finding[] {
  const paths = globSync('packages/*/{src,app,bin}/**/*.{ts,tsx,js}', { cwd: ROOT }).map((path) =>
    path.split(sep).join('/'),
  );
  const files = paths.toSorted().map((path) => [path, text(path)] as const);
  const texts = packageTexts(files);
  const problems = files.flatMap(([path, source]) => textProblems(path, source, texts));
  return [{ shown: `no package reads another's words, ${texts.runs.size} runs of three`, problems }];
}

async function checkPublished(): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const path of globSync('packages/*/package.json', { cwd: ROOT }).toSorted()) {
    const pkg = JSON.parse(text(path)) as { name: string; private?: boolean };
    if (pkg.private) continue;
    const { messages } = await publint({ pkgDir: join(ROOT, path, '..'), strict: true, pack: 'npm' });
    const problems = messages.map((message) => `${path}: ${formatMessage(message, pkg, { color: false })}`);
    findings.push({ shown: `publint ${pkg.name}`, problems });
  }
  return findings;
}

/** Checks that links in shipped pages lead to shipped files or URLs, and that shipped text has no internal terms. */
function checkShipped(): Finding[] {
  return globSync('packages/*/package.json', { cwd: ROOT })
    .toSorted()
    .map((path) => {
      const folder = dirname(path);
      const files = packedFiles(folder);
      const problems = files.flatMap((file) => {
        if (!/\.(?:md|ts|js|json)$/.test(file)) return [];
        const content = file === 'README.md' ? forPackage(text(`${folder}/${file}`)) : text(`${folder}/${file}`);
        const words = /\bthe seeds?\b(?! (?:draws|alone))|\bseeds' /i.exec(content)?.[0];
        return [
          ...(words === undefined
            ? []
            : [`${folder}/${file} says "${words}", an internal term: describe the thing instead`]),
          ...(file.endsWith('.md') ? unshippedLinks(file, content, files) : []).map(
            (link) => `${folder}/${file} links to ${link}, which is not shipped: link to a shipped file or a URL`,
          ),
        ];
      });
      return { shown: `links and wording of the ${files.length} files that ${folder} ships`, problems };
    });
}

function packedFiles(folder: string): string[] {
  const out = execFileSync('npm', ['pack', '--dry-run', '--json'], {
    cwd: join(ROOT, folder),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(out.slice(out.indexOf('['))) as {
    readonly files: readonly { readonly path: string }[];
  }[];
  return packed?.files.map(({ path }) => path) ?? [];
}

function unshippedLinks(file: string, content: string, files: readonly string[]): string[] {
  return linksOf(content).filter((link) => {
    const [target = ''] = link.split('#');
    return target !== '' && !files.includes(posix.normalize(posix.join(posix.dirname(file), target)));
  });
}

/** Checks that each entry of the engine is one file that loads nothing, and that the root stays small. */
async function checkEngine(): Promise<Finding[]> {
  const { metafile, outputFiles } = await bundlePackage('engine', { minify: true, sourcemap: false });
  const loading = Object.entries(metafile.outputs).filter(([, { imports }]) => imports.length > 0);
  const root = outputFiles.find(({ path }) => path.endsWith(`${sep}dist${sep}index.js`))?.contents;
  const bytes = gzipSync(root ?? '', { level: 9 }).length;
  return [
    {
      shown: `${outputFiles.length} files of holdfast, one for each entry`,
      problems: loading.map(([path, { imports }]) => `${path} loads ${imports.map((one) => one.path).join(', ')}`),
    },
    {
      shown: `bundle of holdfast: ${(bytes / 1_024).toFixed(2)} KiB minified and gzipped, of ${BUNDLE_BYTES / 1_024} KiB`,
      problems: bytes < BUNDLE_BYTES ? [] : ['move what few users need to a separate entry point, or simplify it'],
    },
  ];
}

/** Bundles what a program needs for one dialect and English from the shipped file, as its own bundler would. */
async function checkCore(): Promise<Finding[]> {
  const { outputFiles } = await build({
    stdin: {
      contents: "export { anthropic, ConversationWindow, english } from './core.js';",
      resolveDir: join(ROOT, 'packages/engine/dist'),
    },
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'esm',
    platform: 'neutral',
    write: false,
    logLevel: 'silent',
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
  const shown = `holdfast/core with one dialect and English: ${(bytes / 1_000).toFixed(1)} kB minified and gzipped, of ${CORE_BYTES / 1_000} kB`;
  const advice = 'pass what not every window needs through parts, or simplify it';
  return [{ shown, problems: bytes <= CORE_BYTES ? [] : [advice] }];
}

/** Everything that a browser loads. */
async function checkApp(): Promise<Finding[]> {
  const files = [...(await bundleApp()).values()];
  const bytes = files.reduce((sum, contents) => sum + gzipSync(contents, { level: 9 }).length, 0);
  const shown = `the inspector's application: ${(bytes / 1_000).toFixed(1)} kB gzipped, of ${APP_BYTES / 1_000} kB`;
  return [{ shown, problems: bytes < APP_BYTES ? [] : ['simplify a page, or leave out a part of a dependency'] }];
}

/** Pages for newcomers stay short: the README, and one page on each package for those who work on it. */
function checkPages(): Finding[] {
  const rooms = readdirSync(join(ROOT, 'packages')).map((name) => [`packages/${name}/AGENTS.md`, 80, 160] as const);
  const pages = [['README.md', 200, Number.POSITIVE_INFINITY], ['AGENTS.md', 80, 160], ...rooms] as const;
  return pages.map(([path, most, width]) => {
    if (!existsSync(join(ROOT, path))) return { shown: `${path} is there`, problems: [`write ${path}`] };
    const lines = text(path).trimEnd().split('\n');
    const wide = lines.flatMap((line, i) =>
      line.length > width ? [`line ${i + 1} of ${path}: at most ${width} characters`] : [],
    );
    const problems = lines.length > most ? [`move parts of ${path} to docs/`, ...wide] : wide;
    return { shown: `${path}: ${lines.length} lines of at most ${most}`, problems };
  });
}

/** Checks that links between pages lead somewhere, headings included, and that decisions named anywhere have a page. */
function checkReferences(): Finding[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)));
  const texts = files.filter((path) => path.endsWith('.md')).map((path) => [path, text(path)] as const);
  const pages = new Map(texts.map(([path, page]) => [path, anchorsOf(page)]));
  const decisions = new Set(files.flatMap((path) => /^docs\/decisions\/(\d+)-/.exec(path)?.[1] ?? []).map(Number));
  const naming = files.filter((path) => /\.(?:md|m?[jt]sx?|ya?ml)$/.test(path) && !path.includes('.test.'));
  return [
    {
      shown: `links of ${texts.length} pages`,
      problems: texts.flatMap(([path, page]) => deadLinks(path, page, pages, (to) => existsSync(join(ROOT, to)))),
    },
    {
      shown: `references to ${decisions.size} decisions`,
      problems: naming.flatMap((path) => missingDecisions(path, text(path), decisions)),
    },
  ];
}

function checkLockFiles(): Finding[] {
  return ['package-lock.json', 'bench/package-lock.json']
    .filter((path) => existsSync(join(ROOT, path)))
    .map((path) => {
      const lines = text(path).split('\n');
      const problems = lines.flatMap((line, i) =>
        /"resolved": "[a-z+]+:/.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [],
      );
      const advice = 'install with the .npmrc of this repository, which omits download URLs';
      return {
        shown: `${path} has no download URLs`,
        problems: problems.length === 0 ? [] : [...problems.slice(0, 3), advice],
      };
    });
}

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
