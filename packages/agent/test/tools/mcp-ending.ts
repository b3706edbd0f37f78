import { createTools } from '../../src/index.ts';

// Started as a program by mcp-ending.test.ts: makes tools with one server, closes them, and must then end by itself.
const [workspace = '', when = '', command = '', ...args] = process.argv.slice(2);
const controller = new AbortController();
if (when === 'while starting') process.stdin.once('data', () => controller.abort());
const started = createTools({
  workspace,
  mcp_servers: { test: { command, args } },
  signal: controller.signal,
  grace_ms: 300,
});
console.log('starting');
const { tools, warnings, close } = await started;
process.stdin.destroy();
console.log(JSON.stringify({ tools: tools.filter(({ name }) => name.startsWith('test__')).length, warnings }));
if (when === 'by process.exit') process.exit(0);
await close();
