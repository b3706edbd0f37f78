import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conversation } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { keyServer } from './key-server.ts';
import { HOLDFAST, type Project, project } from './project.ts';
import { openTerminal, SIZES, type TestTerminal } from './terminal.ts';

const ROOT = join(import.meta.dirname, '../../..');
const KEY = 'sk-ant-api03-Qz7Rk2mWv91LsdPqB4xN8tYh';

/** The command that the README gives for a first answer. */
const [, firstAnswer = ''] = /For a first answer: `([^`]+)`/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];

/** A folder of a person who has never used Holdfast. */
function newcomer(): Project {
  // Like a clone of this repository, which has instructions.
  const place = project({ 'README.md': '# The marmalade engine\n', 'AGENTS.md': 'Be brief.\n' });
  delete place.env.ANTHROPIC_API_KEY;
  return place;
}

function typed(place: Project, words: readonly string[], cols = 80, rows = 24): TestTerminal {
  const env = { ...place.env, ANTHROPIC_API_KEY: undefined, HOLDFAST_TRUST: undefined };
  const terminal = openTerminal({
    command: process.execPath,
    args: [...HOLDFAST, ...words],
    cwd: place.workspace,
    env,
    cols,
    rows,
  });
  onTestFinished(() => terminal.kill('SIGKILL'));
  return terminal;
}

const wordsOf = (command = '') =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
const shows = (words: string) => (screen: readonly string[]) => screen.some((row) => row.includes(words));

/** Answers the question about the folder. */
async function trust(terminal: TestTerminal): Promise<void> {
  await terminal.until(shows('Trust it?'));
  terminal.write('y\r');
}

test('the README needs one command for a first answer, without a key', () => {
  expect(firstAnswer).toMatch(/^holdfast chat ".*" --provider stand-in$/);
});

test.each(SIZES)('without a key, %i×%i: the command answers with the files of the folder', async (cols, rows) => {
  const terminal = typed(newcomer(), wordsOf(firstAnswer), cols, rows);
  await trust(terminal);
  await terminal.until(shows('✓ list_files'), 60_000);
  await terminal.until(shows('README.md'), 60_000);
  expect(terminal.brokenRows()).toEqual([]);
});

test.each(SIZES)(
  'with a key, %i×%i: the same command without --provider asks for it once, and then answers',
  async (cols, rows) => {
    const place = newcomer();
    const server = await keyServer(KEY, conversation());
    const words = [...wordsOf(firstAnswer).slice(0, -2), '--model', 'claude-sonnet-5', '--base-url', server.url];
    const terminal = typed(place, words, cols, rows);
    await trust(terminal);
    await terminal.until(shows('API key ('));
    expect(terminal.screen().join(' ')).toContain('There is no key for anthropic-api yet.');
    terminal.write(`${KEY}\r`);
    await terminal.until(shows('list_files'), 60_000);
    expect(terminal.raw()).not.toContain(KEY.slice(8, 24));
    expect(readFileSync(join(place.home, 'credentials'), 'utf8')).toContain(KEY);
    terminal.kill('SIGKILL');
    const again = typed(place, words);
    await again.until(shows('list_files'), 60_000);
    expect(again.raw()).not.toContain('API key (');
  },
);
