import type { Task } from './task.ts';

/** Programs that check a project: their name alone makes a command. */
const PROGRAMS = new Set(
  'npm npx pnpm yarn bun deno node tsc tsx vitest jest mocha ava playwright cypress eslint biome prettier oxlint knip turbo nx vite python python3 pytest tox nox uv poetry pip ruff mypy pyright black flake8 pylint cargo rustc clippy go gofmt golangci-lint staticcheck make just task cmake ctest ninja meson bazel gcc clang mvn gradle ant sbt dotnet swift xcodebuild bundle rake rspec rubocop ruby composer phpunit php phpstan mix elixir rebar3 stack cabal ghc dart flutter zig nimble luarocks bash sh zsh docker podman terraform tofu helm kubectl ansible-lint shellcheck hadolint pre-commit git curl diff test holdfast'.split(
    ' ',
  ),
);
/** Programs whose names are also words: outside code, only their usual subcommands make a command. */
const WORDS = 'go|make|just|task|node|git|test|diff|stack|mix|bash|sh|ant|black|swift|bundle|docker|curl';
const BARE = new RegExp(
  `(?<![\\w./-])(?:(?:${WORDS}) (?:test|build|check|lint|vet|run|all|ci|verify|fmt|tests)|(?:${[...PROGRAMS].filter((name) => !WORDS.split('|').includes(name)).join('|')}|\\./[\\w./-]+))(?![\\w-])(?: run(?= [\\w@./-]))?(?: +(?!(?:pass|succeed|exit|is|are|must|should|shall|has|have|finish|complete|work|return|report|print|show|end|with|without|and|or|in|on|from|again|still|fail|run|give|do)(?:es|ed|s|ing)?\\b)[\\w@./:=*+-]+)*`,
  'g',
);
/** Usual names of checks. */
const DOES = /^(?:tests?|check|lint|build|verify|validate|vet|fmt|format|typecheck|spec|ci)(?::[\w:-]+)?$/;
const CODE = /[={};<>]|\w\(|^(?:const|let|var|return|import|export|if|for|def|class|function|async|await|new|throw)\b/;

/**
 * Commands that a task's Definition of Done names and no check runs, each once. Without a warning, "complete" would suggest that
 * they passed. Pure.
 */
export function uncheckedCommands(
  { definitionOfDone }: Pick<Task, 'definitionOfDone'>,
  checks: readonly string[],
): string[] {
  const isRun = runBy(checks);
  return [...new Set(definitionOfDone.flatMap(commandsIn))].filter((command) => !isRun(command));
}

/** Commands in backticks that a task's Definition of Done names and no check runs: whole, as they are written. Pure. */
export function proposedChecks(
  { definitionOfDone }: Pick<Task, 'definitionOfDone'>,
  checks: readonly string[],
): string[] {
  const isRun = runBy(checks);
  const isOpen = (span: string) => stepsOf(span).some((step) => isCommand(step) && !isRun(step));
  return [...new Set(definitionOfDone.flatMap(spansIn))].filter(isOpen);
}

function runBy(checks: readonly string[]): (command: string) => boolean {
  const run = checks.flatMap((check) => [check, ...check.split(/&&|\|\||[;|()\n]/)]).map(plain);
  return (command) => {
    const asked = plain(command.split('|')[0] ?? '');
    return run.some((one) => one === asked || one.startsWith(`${asked} `));
  };
}

/** The commands in an entry: in code spans, or by the name of a program. */
function commandsIn(entry: string): string[] {
  const words = entry.replace(/(`+).+?\1/g, ' · ');
  const bare = [...words.matchAll(BARE)].map(([found]) => found.replace(/[.,:*]+$/, ''));
  const steps = spansIn(entry).flatMap(stepsOf);
  // A tool's name alone is not a command.
  return [...steps.filter(isCommand), ...bare.filter((found) => found.includes(' ') || found.startsWith('./'))];
}

function spansIn(entry: string): string[] {
  return [...entry.matchAll(/(`+)(.+?)\1/g)].map(([, , span = '']) => span.trim().replace(/^\$ /, ''));
}

function stepsOf(span: string): string[] {
  return (CODE.test(span) ? [span] : span.split(/&&|\|\|/)).map((step) => step.trim());
}

function isCommand(span: string): boolean {
  const [program = '', ...rest] = withoutVariables(span).split(/\s+/);
  if (program.startsWith('./') || /\.(?:sh|bash)$/.test(program)) return true;
  if (PROGRAMS.has(program)) return true;
  if (rest.length === 0 || CODE.test(span) || !/^[a-z][\w-]*(?:\/[\w-]+)*$/.test(program)) return false;
  return program.includes('/') || rest.some((word) => DOES.test(word) || /^-{1,2}\w/.test(word));
}

function withoutVariables(command: string): string {
  return command.trim().replace(/^(?:\w+=\S* +)+/, '');
}

/** The command in a form to compare: `npm run test` equals `npm test`, and `npx vitest` equals `vitest`. */
function plain(command: string): string {
  return withoutVariables(command)
    .replace(/\s+/g, ' ')
    .replace(/^(?:npx|bunx|(?:pnpm|yarn|bundle|npm) exec|(?:pnpm|yarn) dlx|(?:uv|poetry) run) (?=[\w@.])/, '')
    .replace(/^(npm|pnpm|yarn|bun) (?:run(?:-script)?|t(?= |$)) ?/, (found, name: string) =>
      / t ?$/.test(found) ? `${name} test ` : `${name} `,
    )
    .trim();
}
