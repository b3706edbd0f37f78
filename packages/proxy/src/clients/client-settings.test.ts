import { expect, test } from 'vitest';
import { CLIENTS as TESTED } from '../../clients/all-clients.ts';
import { anyClient, CLIENTS, clientOf } from './client-settings.ts';

const URL = 'http://127.0.0.1:4142';

test('users can start exactly the clients that `npm run clients` tests', () => {
  expect(CLIENTS.map(({ program }) => program).sort()).toEqual(TESTED.map(({ bin }) => bin).sort());
});

test('clients are known by their command, wherever it is', () => {
  expect(clientOf('claude')?.name).toBe('Claude Code');
  expect(clientOf('/usr/bin/codex')?.name).toBe('Codex');
  expect(clientOf('C:\\tools\\qwen.cmd')?.name).toBe('qwen-code');
  expect(clientOf('python')).toBeUndefined();
});

test('each client gets the base URL on one line, and for one run where that is possible', () => {
  for (const { line, run, program } of CLIENTS) {
    expect(line(URL)).toContain(URL);
    expect(line(URL)).not.toContain('\n');
    if (program === 'cline') expect(run).toBeUndefined();
    else expect(JSON.stringify(run?.(URL, '/folder'))).toContain(URL);
  }
  expect(clientOf('codex')?.run?.(URL, '').args).toEqual(['-c', `openai_base_url="${URL}/v1"`]);
  expect(clientOf('pi')?.run?.(URL, '/folder').args).toEqual(['-e', '/folder/holdfast-proxy.ts']);
  expect(anyClient(URL).env).toEqual({
    ANTHROPIC_BASE_URL: URL,
    OPENAI_BASE_URL: `${URL}/v1`,
    GOOGLE_GEMINI_BASE_URL: URL,
  });
});
