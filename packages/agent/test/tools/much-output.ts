import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTools, folderOutputs, memoryOutputs } from '../../src/index.ts';

// Its own process, so that nothing else grows in it: says how much memory 300 MB of output took at most.
const workspace = mkdtempSync(join(tmpdir(), 'holdfast-much-'));
const outputs = process.argv[2] === 'folder' ? folderOutputs(`${workspace}-outputs`) : memoryOutputs();
const { tools, close } = await createTools({ workspace, outputs, max_output_chars: 10_000 });
const run = async (command: string) =>
  (await tools.find((tool) => tool.name === 'run_command')?.call({ command }))?.text;
await run('seq 1 200000');
const before = process.memoryUsage().rss;
let most = before;
const timer = setInterval(() => {
  most = Math.max(most, process.memoryUsage().rss);
}, 5);
const text = await run('yes 0123456789012345678901234567890123456789 | head -c 314572800; echo END');
clearInterval(timer);
await close();
for (const folder of [workspace, `${workspace}-outputs`]) rmSync(folder, { recursive: true, force: true });
console.log(JSON.stringify({ text, grown_mb: (most - before) / 2 ** 20 }));
