import { expect, test } from 'vitest';
import { offeredCommand, permits } from './permissions.ts';

const call = (command: string) => ({ id: '1', name: 'run_command', input: { command } });

test.each([
  ['npm test', 'npm test *'],
  ['npm test -- --run "a b"', 'npm test *'],
  ['npm run build -- --fast', 'npm run build *'],
  ['git status', 'git status *'],
  ['  cargo build --release ', 'cargo build *'],
  ['ls -la', 'ls -la'],
  ['./check.sh', './check.sh'],
  ['git -C elsewhere status', 'git -C elsewhere status'],
  ['npm test && rm -rf /', undefined],
  ['npm test; ls', undefined],
  ['npm test | tee out', undefined],
  ['npm test > out', undefined],
  ['npm test $(ls)', undefined],
  ['npm test `ls`', undefined],
  ['npm test\nrm -rf /', undefined],
  ['bash -c "ls"', undefined],
  ['/bin/sh run', undefined],
  ['python3 script', undefined],
  ['rm build', undefined],
  ['A=1 npm test', undefined],
  ['npm exec cowsay', undefined],
  ['docker exec box ls', undefined],
  ['uv run python tool.py', undefined],
  ['git bisect run sh check', undefined],
])('for %j it offers %j', (command, offered) => expect(offeredCommand(call(command))).toBe(offered));

test.each([
  ['npm test', true],
  ['npm test -- --watch=false src/a.test.ts', true],
  ['npm tests', false],
  ['npm testing', false],
  ['npm test && rm -rf /', false],
  ['npm test; rm -rf /', false],
  ['npm test & rm -rf /', false],
  ['npm test || rm -rf /', false],
  ['npm test | sh', false],
  ['npm test > /etc/passwd', false],
  ['npm test < x', false],
  ['npm test $(rm -rf /)', false],
  ['npm test `rm -rf /`', false],
  ['npm test \nrm -rf /', false],
  ['npm test \rrm -rf /', false],
  ['npm test {a,b}', false],
  ['npm test \\\n; x', false],
])('the beginning npm test * covers %j: %j', (command, expected) =>
  expect(permits({ tool: 'run_command', command: 'npm test *' }, call(command))).toBe(expected),
);

test('a permission covers its own tool only', () => {
  expect(permits({ tool: 'write_file' }, call('ls'))).toBe(false);
  expect(permits({ tool: 'run_command' }, call('ls; ls'))).toBe(true);
  expect(permits({ tool: 'write_file', command: 'npm test *' }, { id: '1', name: 'write_file', input: {} })).toBe(
    false,
  );
  expect(offeredCommand({ id: '1', name: 'write_file', input: { command: 'npm test' } })).toBeUndefined();
});
