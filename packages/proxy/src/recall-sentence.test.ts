import { expect, test } from 'vitest';
import { recallSentence } from './recall-sentence.ts';

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const SHELL = 'To read an original, run `holdfast recall {handle}` in the shell with its handle.';

test.each([
  ['Claude Code', named('Task', 'Bash', 'Read')],
  ['Codex', [{ type: 'function', name: 'exec_command' }, { type: 'web_search' }]],
  ['Codex with a built-in shell', [{ type: 'local_shell' }]],
  ['opencode and pi', [{ type: 'function', function: { name: 'bash' } }]],
  ['Gemini CLI', [{ functionDeclarations: [{ name: 'read_file' }, { name: 'run_shell_command' }] }]],
  ['qwen-code', [{ type: 'function', function: { name: 'run_shell_command' } }]],
  ['Cline', [{ type: 'function', function: { name: 'execute_command' } }]],
])('%s recalls in its shell', (_, tools) => {
  expect(recallSentence(tools)).toBe(SHELL);
  expect(recallSentence(tools, { command: false })).toBeUndefined();
});

test('for a client with the MCP server, the sentence has the name that the client gives the tool', () => {
  const sentence = (tools: unknown) => /the tool (\S+) with/.exec(recallSentence(tools) ?? '')?.[1];
  expect(sentence(named('Bash', 'mcp__holdfast__recall'))).toBe('mcp__holdfast__recall');
  expect(sentence([{ type: 'function', function: { name: 'holdfast_recall' } }])).toBe('holdfast_recall');
  expect(sentence([{ type: 'namespace', name: 'mcp__holdfast', tools: named('recall') }])).toBe(
    'mcp__holdfast__recall',
  );
});

test('a client without either, or with a recall tool of somebody else, cannot recall', () => {
  for (const tools of [undefined, [], [null], named('mcp__memory__recall', 'Read', 'get_weather')])
    expect(recallSentence(tools)).toBeUndefined();
});
