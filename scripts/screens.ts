import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeProject } from '../examples/demo-project.ts';
import { openTerminal } from '../packages/cli/test/terminal.ts';

// Runs `holdfast run` in a real terminal of 80×24 and puts what stood on its screen into docs/quick-start.md.

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/quick-start.md');
const HOLDFAST = join(ROOT, 'packages/cli/bin/holdfast.js');

const folder = makeProject();
const terminal = openTerminal({
  command: process.execPath,
  args: [HOLDFAST, 'run', 'TASK.md'],
  cwd: join(folder, 'project'),
  env: { HOLDFAST_HOME: join(folder, 'home') },
});
await terminal.until((screen) => screen.some((row) => row.includes('≡ fold 4:')));
const live = terminal.screen();
const code = await terminal.exit;
if (code !== 0) throw new Error(`the run ended with ${code}:\n${terminal.screen().join('\n')}`);
const rows = terminal.scrollback();
const box = rows.slice(rows.findLastIndex((row) => row.startsWith('╭─')));
rmSync(folder, { recursive: true });

let page = readFileSync(PAGE, 'utf8');
page = withScreen(page, 'live', live);
page = withScreen(page, 'end', box);
writeFileSync(PAGE, page);
console.log(`wrote two screens into ${PAGE}`);

/** The page with these rows in the block that is marked so. */
function withScreen(page: string, name: string, rows: readonly string[]): string {
  const block = new RegExp(`(<!-- screen: ${name} -->\\n\`\`\`\\n)[\\s\\S]*?(\`\`\`)`);
  if (!block.test(page)) throw new Error(`${PAGE} has no block for the screen ${name}`);
  return page.replace(block, (_, before: string, after: string) => `${before}${rows.join('\n').trimEnd()}\n${after}`);
}
