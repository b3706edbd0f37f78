import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ranWith, writeProgram } from '../../../test/program.ts';
import type { ProviderEvent } from '../provider.ts';
import { cursorCli } from './index.ts';

const SESSION = '7a9963b5-a319-41aa-938f-8a1f9171c3d8';
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 7_656,
  result: 'Done.',
  session_id: SESSION,
};
const says = (...events: object[]) => events.map((event) => `say(${JSON.stringify(event)});`).join('\n');
const call = (subtype: string, call_id: string, tool_call: object) => ({
  type: 'tool_call',
  subtype,
  call_id,
  tool_call,
  session_id: SESSION,
});
const assistant = (text: string) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  session_id: SESSION,
});

test('a run: answer, usage, files actually changed, events in order', async () => {
  const { folder, program } = writeProgram(
    `writeFileSync(join(folder, 'heard'), input());${says(
      { type: 'system', subtype: 'init', session_id: SESSION, model: 'Auto', apiKeySource: 'login' },
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'go' }] }, session_id: SESSION },
      { type: 'thinking', subtype: 'delta', text: 'hm', session_id: SESSION },
      assistant('First I read.'),
      call('started', 'c1', { readToolCall: { args: { path: 'a.ts' } } }),
      call('completed', 'c1', { readToolCall: { args: { path: 'a.ts' }, result: { success: { content: '' } } } }),
      call('started', 'c2', { writeToolCall: { args: { path: 'b.ts' } } }),
      call('started', 'c3\nfc_3', { editToolCall: { args: { path: 'c.ts' } } }),
      call('completed', 'c3\nfc_3', { editToolCall: { args: { path: 'c.ts' }, result: { rejected: {} } } }),
      call('completed', 'c2', {
        writeToolCall: { args: { path: 'b.ts' }, result: { success: { path: '/elsewhere/b.ts' } } },
      }),
      call('completed', 'c4', { deleteToolCall: { args: { path: 'd.ts' }, result: { success: {} } } }),
      call('completed', 'c5', { function: { name: 'ApplyPatch', arguments: '{}' } }),
      assistant('Done.'),
      { ...RESULT, usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 300, cacheWriteTokens: 0 } },
    )}`,
  );
  const events: ProviderEvent[] = [];
  const result = await cursorCli({ program, force: true, trust: true, model: 'composer-2.5' }).execute('go', {
    onEvent: (event) => events.push(event),
    cwd: folder,
  });
  expect(result).toEqual({
    success: true,
    output: 'Done.',
    iterationComplete: true,
    filesChanged: ['/elsewhere/b.ts', 'd.ts'],
    tokenUsage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 300, cacheWriteTokens: 0 },
    cacheShare: 0.75,
    conversationState: { provider: 'cursor-cli', sessionId: SESSION },
  });
  expect(ranWith(folder)?.args).toEqual([
    '-p',
    '--output-format',
    'stream-json',
    '--model',
    'composer-2.5',
    '--force',
    '--trust',
  ]);
  expect(readFileSync(join(folder, 'heard'), 'utf8')).toBe('go');
  expect(events.filter(({ type }) => type === 'call-end')).toEqual([
    { type: 'call-end', id: 'c1', name: 'read', failed: false },
    { type: 'call-end', id: 'c3\nfc_3', name: 'edit', failed: true },
    { type: 'call-end', id: 'c2', name: 'write', failed: false },
    { type: 'call-end', id: 'c4', name: 'delete', failed: false },
    { type: 'call-end', id: 'c5', name: 'ApplyPatch', failed: false },
  ]);
});

test('the next prompt continues the session; tokens and cost are unknown if the program reports none', async () => {
  const { folder, program } = writeProgram(says(RESULT));
  const conversationState = { provider: 'cursor-cli', sessionId: SESSION };
  const result = await cursorCli({ program }).execute('go', { conversationState });
  expect(ranWith(folder)?.args).toEqual(['-p', '--output-format', 'stream-json', '--resume', SESSION]);
  expect(result).toEqual({
    success: true,
    output: 'Done.',
    iterationComplete: true,
    filesChanged: [],
    conversationState,
  });
});

test('an untrusted folder is a failure, although the program only prints a message and exits with 0', async () => {
  const { program } = writeProgram(`line('⚠ Workspace Trust Required\\n  • Pass --trust, --yolo, or -f\\n')`);
  const result = await cursorCli({ program }).execute('go');
  expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request' });
  expect(result.error).toMatch(/ended without a result: ⚠ Workspace Trust Required[\s\S]*Pass --trust/);
});

test.each([
  [`process.stderr.write('Error: Authentication required. Run agent login'); process.exit(1)`, 'auth'],
  [`process.stderr.write('resource_exhausted'); process.exit(1)`, 'rate_limit'],
  [says({ type: 'error', message: 'connection lost' }), 'network'],
  [says({ ...RESULT, is_error: true, result: 'too many requests' }), 'rate_limit'],
  [`process.exit(3)`, 'unknown'],
])('%s is a %s error', async (script, category) => {
  const { program } = writeProgram(script);
  expect(await cursorCli({ program }).execute('go')).toMatchObject({ success: false, errorCategory: category });
});

test('it is stopped after max_requests, because it has no such limit itself', async () => {
  const { program } = writeProgram(`
    const step = (n) => {
      say({ type: 'tool_call', subtype: 'started', call_id: 'c' + n, tool_call: { readToolCall: { args: {} } } });
      say({ type: 'tool_call', subtype: 'completed', call_id: 'c' + n, tool_call: { readToolCall: { args: {}, result: { success: {} } } } });
      setImmediate(step, n + 1);
    };
    step(0);`);
  const starts: string[] = [];
  const result = await cursorCli({ program, grace_ms: 100 }).execute('go', {
    max_requests: 3,
    onEvent: ({ type }) => void (type === 'call-start' && starts.push(type)),
  });
  expect(result).toMatchObject({ success: false, budget: 'requests', errorCategory: 'timeout' });
  expect(starts.length).toBeGreaterThanOrEqual(3);
});
