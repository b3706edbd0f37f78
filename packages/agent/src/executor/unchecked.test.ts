import { expect, test } from 'vitest';
import { uncheckedCommands } from './unchecked.ts';

const of = (entry: string, ...checks: readonly string[]) => uncheckedCommands({ definition_of_done: [entry] }, checks);

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

test('a command that several entries name is told once', () => {
  expect(uncheckedCommands({ definition_of_done: ['`npm test` passes', 'again `npm test`'] }, [])).toEqual([
    'npm test',
  ]);
});
