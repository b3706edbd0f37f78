import { afterEach, expect, test, vi } from 'vitest';
import { plainStyle } from '../view/style.ts';
import { runShell } from './shell.ts';

afterEach(() => vi.unstubAllEnvs());

test('the user sees a key that a command prints, the model does not', async () => {
  const key = 'AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7';
  vi.stubEnv('SOME_API_KEY', key);
  const rows: string[] = [];
  const { env } = process;
  const { signal } = new AbortController();
  const setup = {
    cwd: '/',
    env,
    signal,
    style: plainStyle,
    columns: () => 80,
    print: (more: readonly string[]) => void rows.push(...more),
  };
  const text = await runShell(`echo "key: $SOME_API_KEY"; true ${key}`, setup);
  expect(rows[0]).toBe(`  key: ${key}`);
  expect(text).toBe('I ran a command in the shell:\n$ echo "key: $SOME_API_KEY"; true [key]\nkey: [key]\n(exit 0)');
});
