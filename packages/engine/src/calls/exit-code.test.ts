import { expect, test } from 'vitest';
import { exitCode } from './exit-code.ts';

test.each([
  ['Codex', 'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nx', 1],
  ['Codex', 'Exit code: 2\nWall time: 1 seconds\nOutput:\nx', 2],
  ['Codex, as JSON', `{"output":"${'x'.repeat(900)}","metadata":{"exit_code":1,"duration_seconds":0.1}}`, 1],
  ['Codex, as JSON with spaces', '{\n  "exit_code": 3,\n  "output": ""\n}', 3],
  ['Claude Code', 'Exit code 1\nx', 1],
  ['Copilot', 'x\n<shellId: 3 completed with exit code 127>', 127],
  ['OpenHands', 'x\n[The command completed with exit code 1.]', 1],
  ['OpenHands', 'x\n[Command finished with exit code 0]', 0],
  ['mini-swe-agent', '<returncode>4</returncode>\n<output>x</output>', 4],
  ['XML', '<exit_code>5</exit_code>', 5],
  ['a shell', 'exit status 2', 2],
])('the exit code that %s reports', (_agent, output, code) => {
  expect(exitCode(output)).toBe(code);
});

test.each(['all is well', 'press q to exit 3 times later', 'the exit is 30 m away'])('%j reports none', (output) => {
  expect(exitCode(output)).toBeUndefined();
});
