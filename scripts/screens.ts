import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeProject } from '../examples/demo-project.ts';
import { openTerminal } from '../packages/cli/test/terminal.ts';

// Runs `holdfast run` and `holdfast chat` in a real 80×24 terminal and copies its screen into the docs.

const ROOT = join(import.meta.dirname, '..');
const HOLDFAST = join(ROOT, 'packages/cli/bin/holdfast.js');

const folder = makeProject();
const terminal = openTerminal({
  command: process.execPath,
  args: [HOLDFAST, 'run', 'TASK.md'],
  cwd: join(folder, 'project'),
  env: { HOLDFAST_HOME: join(folder, 'home'), HOLDFAST_TRUST: '1' },
});
await terminal.until((screen) => screen.some((row) => row.includes('≡ fold 4:')));
const live = terminal.screen();
const code = await terminal.exit;
if (code !== 0) throw new Error(`the run ended with ${code}:\n${terminal.screen().join('\n')}`);
const rows = terminal.scrollback();
const box = rows.slice(rows.findLastIndex((row) => row.startsWith('╭─')));
const chat = await chatScreen();
rmSync(folder, { recursive: true });

put('docs/quick-start.md', { live, end: box });
put('docs/chat.md', { chat });

/** A short conversation: text, a call that needs approval, and what fills the window. */
async function chatScreen(): Promise<string[]> {
  const talk = openTerminal({
    command: process.execPath,
    args: [HOLDFAST, 'chat', '--provider', 'stand-in'],
    cwd: join(folder, 'project'),
    env: { HOLDFAST_HOME: join(folder, 'home'), HOLDFAST_TRUST: '1' },
  });
  const shows = (text: string) => (screen: readonly string[]) => screen.some((row) => row.includes(text));
  const idle = (screen: readonly string[]) => screen.includes('>') && !shows('· Esc interrupts')(screen);
  await talk.until(idle);
  talk.write('list src\r');
  await talk.until((screen) => shows('the call gave')(screen) && idle(screen));
  talk.write('/context\r');
  await talk.until((screen) => shows('newest ')(screen) && idle(screen));
  talk.write('write notes.txt hello\r');
  // The keys are shown once the question can be answered.
  await talk.until(shows('  n  no, with a reason'));
  const screen = talk.screen();
  talk.kill('SIGTERM');
  await talk.exit;
  return screen;
}

/** Writes screens into the blocks of a page that are marked with their names. */
function put(name: string, screens: Readonly<Record<string, readonly string[]>>): void {
  const path = join(ROOT, name);
  let page = readFileSync(path, 'utf8');
  for (const [block, shown] of Object.entries(screens)) page = withScreen(page, name, block, shown);
  writeFileSync(path, page);
  console.log(`wrote ${Object.keys(screens).join(' and ')} into ${path}`);
}

/** Replaces the rows in a marked block of the page. */
function withScreen(page: string, path: string, name: string, rows: readonly string[]): string {
  const block = new RegExp(`(<!-- screen: ${name} -->\\n\`\`\`\\n)[\\s\\S]*?(\`\`\`)`);
  if (!block.test(page)) throw new Error(`${path} has no block for the screen ${name}`);
  return page.replace(block, (_, before: string, after: string) => `${before}${rows.join('\n').trimEnd()}\n${after}`);
}
