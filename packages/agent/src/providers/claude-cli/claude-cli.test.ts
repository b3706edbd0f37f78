import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ranWith, writeProgram } from '../../../test/program.ts';
import type { ProviderEvent } from '../provider.ts';
import { claudeCli } from './index.ts';

const SESSION = 'f27acd22-1013-48d8-987c-99eeff218faa';
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  num_turns: 3,
  result: 'Both files are done. <DONE>',
  stop_reason: 'end_turn',
  total_cost_usd: 0.25,
  usage: { input_tokens: 10, cache_read_input_tokens: 900, cache_creation_input_tokens: 90, output_tokens: 50 },
  session_id: SESSION,
  permission_denials: [],
};

/** An assistant event with these blocks. */
const assistant = (content: unknown[], more: object = {}) => ({
  type: 'assistant',
  message: { role: 'assistant', content },
  parent_tool_use_id: null,
  session_id: SESSION,
  ...more,
});
const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const answer = (id: string, is_error = false) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'so', is_error }] },
  session_id: SESSION,
});
const says = (...events: object[]) => events.map((event) => `say(${JSON.stringify(event)});`).join('\n');
const INIT = { type: 'system', subtype: 'init', session_id: SESSION, model: 'claude-opus-5-5', tools: [] };

test('a run: answer, usage, cost, files actually changed, events in order', async () => {
  const { folder, program } = writeProgram(
    `writeFileSync(join(folder, 'heard'), input());${says(
      INIT,
      assistant([{ type: 'text', text: 'I look first.' }, use('t1', 'Write', { file_path: 'FOLDER/src/a.ts' })]),
      answer('t1'),
      assistant([use('t2', 'Edit', { file_path: '/etc/passwd' }), use('t3', 'Read', { file_path: 'FOLDER/b.ts' })]),
      answer('t2', true),
      answer('t3'),
      assistant([use('t4', 'NotebookEdit', { notebook_path: 'FOLDER/n.ipynb' })], { parent_tool_use_id: 't9' }),
      answer('t4'),
      assistant([{ type: 'text', text: 'said by a helper' }], { parent_tool_use_id: 't9' }),
      { type: 'rate_limit_event', rate_limit_info: {} },
      RESULT,
    )}`.replaceAll('"FOLDER', 'folder + "'),
  );
  const events: ProviderEvent[] = [];
  const provider = claudeCli({ program, permission_mode: 'acceptEdits', args: ['--add-dir', '/srv'] });
  const result = await provider.execute('do it\nplease', {
    cwd: folder,
    model: 'opus',
    max_requests: 9,
    system: 'Be brief.',
    onEvent: (event) => events.push(event),
  });
  expect(result).toEqual({
    success: true,
    output: 'Both files are done. <DONE>',
    iterationComplete: true,
    completionSignal: '<DONE>',
    filesChanged: ['src/a.ts', 'n.ipynb'],
    tokenUsage: { inputTokens: 10, cacheReadTokens: 900, cacheWriteTokens: 90, outputTokens: 50 },
    cacheShare: 0.9,
    requests: 3,
    cost: { spent: 0.25 },
    conversationState: {
      provider: 'claude-cli',
      sessionId: SESSION,
      sessionCost: 0.25,
      system: expect.stringMatching(/^[0-9a-f]{16}$/),
    },
  });
  expect(ranWith(folder)?.args).toEqual(
    ['-p', '--output-format', 'stream-json', '--verbose', '--model', 'opus', '--max-turns', '9']
      .concat(['--permission-mode', 'acceptEdits'])
      .concat(['--add-dir', '/srv']),
  );
  expect(readFileSync(join(folder, 'heard'), 'utf8')).toBe('Be brief.\n\ndo it\nplease');
  expect(events.map((event) => ('name' in event ? `${event.type} ${event.name}` : event.type))).toEqual(
    ['text-delta', 'call-start Write', 'call-end Write', 'call-start Edit', 'call-start Read']
      .concat(['call-end Edit', 'call-end Read', 'call-start NotebookEdit', 'call-end NotebookEdit'])
      .concat(['usage-report']),
  );
});

test('the next prompt continues the session and is billed for what it added', async () => {
  const first = writeProgram(says(INIT, RESULT));
  const { conversationState } = await claudeCli(first).execute('one', { system: 'Be brief.' });
  const second = writeProgram(
    `writeFileSync(join(folder, 'heard'), input());${says({ ...RESULT, total_cost_usd: 0.4, session_id: 'b-2' })}`,
  );
  const result = await claudeCli(second).execute('two', {
    system: 'Be brief.',
    conversationState: JSON.parse(JSON.stringify(conversationState)),
  });
  expect(ranWith(second.folder)?.args).toEqual(expect.arrayContaining(['--resume', SESSION]));
  expect(readFileSync(join(second.folder, 'heard'), 'utf8')).toBe('two');
  expect(result.cost?.spent).toBeCloseTo(0.15, 10);
  expect(result.conversationState).toMatchObject({ sessionId: 'b-2', sessionCost: 0.4 });
});

test.each([
  [{ result: 'API Error: 529 overloaded', api_error_status: 529 }, 'overloaded', 'claude failed (529): API Error'],
  [{ result: 'Prompt is too long' }, 'context_overflow', 'claude failed: Prompt is too long'],
  [{ result: 'Invalid API key · Please run /login' }, 'auth', 'Invalid API key'],
  [{ result: "You've hit your session limit" }, 'rate_limit', 'session limit'],
  [{ subtype: 'error_max_turns' }, 'timeout', 'max_requests'],
  [{ subtype: 'error_during_execution', errors: ['getaddrinfo ENOTFOUND api'] }, 'network', 'ENOTFOUND'],
  [{ subtype: 'error_max_budget_usd', errors: [] }, 'unknown', 'error_max_budget_usd'],
])('a result of %j is a %s error', async (fields, category, words) => {
  const { program } = writeProgram(
    says(INIT, assistant([{ type: 'text', text: 'So far.' }]), { ...RESULT, is_error: true, ...fields }),
  );
  const result = await claudeCli({ program }).execute('go');
  expect(result).toMatchObject({ success: false, iterationComplete: false, errorCategory: category });
  expect(result.error).toContain(words);
  expect(result.budget).toBe(category === 'timeout' ? 'requests' : undefined);
  expect(result.conversationState).toMatchObject({ sessionId: SESSION });
});

test('the program’s own error code takes precedence over its text', async () => {
  const { program } = writeProgram(
    says(INIT, assistant([], { error: 'billing_error' }), { ...RESULT, is_error: true, result: 'No.' }),
  );
  expect(await claudeCli({ program }).execute('go')).toMatchObject({ errorCategory: 'auth' });
});

test('a truncated answer is not complete, and denied tools are reported', async () => {
  const denied = [{ tool_name: 'Bash' }, { tool_name: 'Bash' }, { tool_name: 'Write' }];
  const { program } = writeProgram(says({ ...RESULT, stop_reason: 'max_tokens', permission_denials: denied }));
  const warnings: string[] = [];
  const logger = { debug() {}, info() {}, warn: (line: string) => warnings.push(line) };
  expect(await claudeCli({ program }).execute('go', { logger })).toMatchObject({
    success: true,
    iterationComplete: false,
  });
  expect(warnings).toEqual(['claude-cli: it was not allowed to use Bash, Write; see `permission_mode`']);
});

test('a deleted session is forgotten; after any other failure it can be resumed', async () => {
  const conversationState = { provider: 'claude-cli', sessionId: SESSION, sessionCost: 2 };
  const gone = writeProgram(
    `process.stderr.write('No conversation found with session ID: ${SESSION}'); process.exit(1)`,
  );
  const lost = await claudeCli(gone).execute('go', { conversationState });
  expect(lost).toMatchObject({ success: false, errorCategory: 'invalid_request' });
  expect(lost).not.toHaveProperty('conversationState');
  const crashed = writeProgram(
    says({ ...RESULT, subtype: 'error_during_execution', is_error: true, errors: ['boom'], total_cost_usd: 0 }),
  );
  const result = await claudeCli(crashed).execute('go', { conversationState });
  expect(result.conversationState).toEqual(conversationState);
  expect(result).not.toHaveProperty('cost');
});
