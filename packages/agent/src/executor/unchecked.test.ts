import { expect, test } from 'vitest';
import { parseTask } from './task.ts';
import { proposedChecks, uncheckedCommands } from './unchecked.ts';

const of = (entry: string, ...checks: readonly string[]) => uncheckedCommands({ definitionOfDone: [entry] }, checks);

test.each<[string, readonly string[]]>([
  ['`npm test` passes', ['npm test']],
  ['All checks are green: `npm run lint` and `npm run build`', ['npm run lint', 'npm run build']],
  ['`pytest -q tests/unit` exits 0', ['pytest -q tests/unit']],
  ['`make`', ['make']],
  ['Running `./scripts/check.sh --all` reports nothing', ['./scripts/check.sh --all']],
  ['`CI=1 cargo test --release` passes', ['CI=1 cargo test --release']],
  ['`$ go vet ./...` is clean', ['go vet ./...']],
  ['`mytool verify --strict` succeeds', ['mytool verify --strict']],
  ['npm test passes', ['npm test']],
  ['cargo clippy -- -D warnings is clean', ['cargo clippy -- -D warnings']],
  ['Run pytest tests/unit and look at it', ['pytest tests/unit']],
  ['make test must pass.', ['make test']],
  ['npm run lint passes', ['npm run lint']],
  ['Run npm run test:unit.', ['npm run test:unit']],
  ['poetry run pytest passes', ['poetry run pytest']],
  ['**npm test** is green', ['npm test']],
  ['`bin/rails test` and `lein check` are green', ['bin/rails test', 'lein check']],
  ['`cd api && go test ./...` passes', ['go test ./...']],
  ['npm run', []],
  ['`GET /health` returns 200', []],
  ['All tests pass', []],
  ['Make sure that the tests pass', []],
  ['The file `src/parser.ts` has no `any`', []],
  ['`parse()` returns `undefined` for `const x = 1`', []],
  ['`max_messages` is documented in `README.md`', []],
  ['Users can go on with git', []],
  ['The test suite covers the parser', []],
  ['It works with npm', []],
])('%s names %j', (entry, commands) => {
  expect(of(entry)).toEqual(commands);
});

test.each([
  ['`npm test` passes', 'npm test'],
  ['`npm test` passes', 'npm run test'],
  ['`npm run test` passes', 'npm t'],
  ['`npm test` passes', 'npm ci && npm test'],
  ['`npm test` passes', 'CI=1 npm test -- --run'],
  ['`npm  test` passes', 'npm test'],
  ['`yarn run lint` passes', 'yarn lint'],
  ['`npm test` passes', '(cd api; npm test)'],
  ['`vitest run` passes', 'npx vitest run'],
  ['`npm test | tee log` passes', 'npm test'],
])('%s is checked by %s', (entry, check) => {
  expect(of(entry, check)).toEqual([]);
});

test.each([
  ['`npm test` passes', 'npm run lint'],
  ['`npm test -- --coverage` passes', 'npm test'],
  ['`npm test` passes', 'echo npm test'],
])('%s is not checked by %s', (entry, check) => {
  expect(of(entry, check)).toHaveLength(1);
});

test('each step of a command is checked separately', () => {
  expect(of('`npm test && npm run lint` pass', 'npm test', 'npm run lint')).toEqual([]);
  expect(of('`npm test && npm run lint` pass', 'npm test')).toEqual(['npm run lint']);
});

test.each([
  [
    '- [ ] These pass:\n  ```sh\n  # all\n  npm test\n  $ npm run lint\n  ```\n- [ ] Docs are there',
    ['npm test', 'npm run lint'],
  ],
  ['- [ ] This passes:\n\n      npm test\n', ['npm test']],
  ['1. This passes:\n   `npm test`', ['npm test']],
  ['```\nnpm test\n```\n\n- [ ] Docs', ['npm test']],
  ['```\nnpm test\n```', ['npm test']],
  ['| check | command |\n|---|---|\n| unit | `npm test` |', ['npm test']],
])('commands count wherever the section has them: %j', (section, commands) => {
  const task = parseTask(`# TASK: x\n\n## Goal\ng\n\n## Definition of Done\n${section}\n`);
  expect(uncheckedCommands(task, [])).toEqual(commands);
});

test('a command named by several entries is reported once', () => {
  expect(uncheckedCommands({ definitionOfDone: ['`npm test` passes', 'again `npm test`'] }, [])).toEqual(['npm test']);
});

test.each<[string, readonly string[]]>([
  ['`npm test` and `npm run lint` pass', ['npm test', 'npm run lint']],
  ['`cd api && go test ./...` passes', ['cd api && go test ./...']],
  ['npm test passes', []],
  ['`src/parser.ts` has no `any`', []],
])('a check is proposed as it is written, only if it is in backticks: %s', (entry, commands) => {
  expect(proposedChecks({ definitionOfDone: [entry] }, [])).toEqual(commands);
});

test('what a check runs already is not proposed', () => {
  const definitionOfDone = ['`npm test && npm run lint` pass', '`npm test` passes'];
  expect(proposedChecks({ definitionOfDone }, ['npm test'])).toEqual(['npm test && npm run lint']);
});
