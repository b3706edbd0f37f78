import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRandom } from '../examples/conversation/random.ts';
import { createWorkspace } from '../examples/conversation/workspace.ts';
import { openTerminal } from '../packages/cli/test/terminal.ts';

// Runs `holdfast run` in a real terminal of 80×24 and puts what stood on its screen into docs/quick-start.md.

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/quick-start.md');
const HOLDFAST = join(ROOT, 'packages/cli/bin/holdfast.js');

const folder = mkdtempSync(join(tmpdir(), 'holdfast-screens-'));
const project = join(folder, 'project');
const { modules, text } = createWorkspace(createRandom(1));
for (const path of modules.flatMap((module) => [module.path, module.test])) write(path, text(path));
write('AGENTS.md', '# Rules\n\n- Never delete a line.\n');
write(
  'TASK.md',
  '# TASK: Mark the lines that changed\n\n## Goal\nGo through the project, file by file.\n\n## Scope\n### Allowed\n- src/**\n',
);
write(
  'holdfast.yml',
  'provider: { type: stand-in, calls: 150, edits: true }\nexecution: { conversation: { max_messages: 30 } }\n',
);

const terminal = openTerminal({
  command: process.execPath,
  args: [HOLDFAST, 'run', 'TASK.md'],
  cwd: project,
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

function write(path: string, content: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), content);
}

/** The page with these rows in the block that is marked so. */
function withScreen(page: string, name: string, rows: readonly string[]): string {
  const block = new RegExp(`(<!-- screen: ${name} -->\\n\`\`\`\\n)[\\s\\S]*?(\`\`\`)`);
  if (!block.test(page)) throw new Error(`${PAGE} has no block for the screen ${name}`);
  return page.replace(block, (_, before: string, after: string) => `${before}${rows.join('\n').trimEnd()}\n${after}`);
}
