import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** What a module prints in a process with a home of its own. */
function printed(home: string, code: string): string {
  const args = ['--conditions=@holdfast/source', '--input-type=module', '--eval', code];
  const env = { ...process.env, HOME: home, USERPROFILE: home };
  return execFileSync(process.execPath, args, { cwd: import.meta.dirname, env, encoding: 'utf8' });
}

test('opencode.ts is the file of its page, and a plugin with a store in the home folder', () => {
  expect(read('../docs/opencode.md')).toContain(read('./opencode.ts').trim());
  const home = mkdtempSync(join(tmpdir(), 'holdfast-plugins-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const text = printed(
    home,
    `const { Holdfast } = await import('./opencode.ts');
     const { tool } = await Holdfast();
     console.log(await tool.recall.execute({ handle: 'm1@nothing' }));`,
  );
  expect(text).toContain('not stored here');
  expect(existsSync(join(home, '.holdfast/opencode.db'))).toBe(true);
});

test('pi.ts is the file of its page, and an extension with a store in the home folder', () => {
  expect(read('../docs/pi.md')).toContain(read('./pi.ts').trim());
  const home = mkdtempSync(join(tmpdir(), 'holdfast-plugins-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const text = printed(
    home,
    `const { default: extension } = await import('./pi.ts');
     const tools = [];
     extension({ on() {}, registerTool: (tool) => tools.push(tool), getActiveTools: () => [], getAllTools: () => [] });
     console.log((await tools[0].execute('one', { handle: 'm1@nothing' })).content[0].text);`,
  );
  expect(text).toContain('not stored here');
  expect(existsSync(join(home, '.holdfast/pi.db'))).toBe(true);
});
