import type { ProxyStatus } from '@holdfast/proxy';
import { expect, test } from 'vitest';
import { endLines, eventLine, startLines, statusLines } from './lines.ts';

const account = { requests: 40, folds: 3, prompt: 31_000, history: 110_000 };
const STATUS: ProxyStatus = {
  url: 'http://127.0.0.1:4142',
  upstreams: {
    anthropic: 'https://api.anthropic.com',
    openai: 'https://api.openai.com',
    gemini: 'https://generativelanguage.googleapis.com',
  },
  max_tokens: 50_000,
  since: 0,
  active: 1,
  totals: {
    requests: 80,
    folds: 6,
    failed: {},
    tokens: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    dollars: { proxied: 0.32, direct: 0.57 },
    units: { proxied: 263_000, direct: 511_000 },
  },
  conversations: [
    {
      ...account,
      conversation: 'k3v9abcdefghj',
      model: 'claude-opus-5',
      currency: 'dollars',
      costs: { proxied: 0.32, direct: 0.57 },
    },
    {
      ...account,
      conversation: 'zzzzzzzzzzzzz',
      model: 'own\u001b[31m',
      currency: 'units',
      costs: { proxied: 263_000, direct: 511_000 },
    },
  ],
};

const START = { ...STATUS, inspector: 'http://127.0.0.1:4142/inspect/#token=x', hasShellRecall: true };

test('the start names the address for each client', () => {
  const text = startLines(START).join('\n');
  for (const name of ['Claude Code', 'Codex', 'opencode', 'pi', 'qwen-code', 'Cline', 'any SDK', 'Gemini CLI'])
    expect(text).toMatch(new RegExp(`^  ${name} .*http://127.0.0.1:4142`, 'm'));
  expect(text).toContain('claude mcp add --transport http holdfast http://127.0.0.1:4142/mcp');
  expect(text).toContain('See what the models see: http://127.0.0.1:4142/inspect/#token=x');
  expect(text).toContain('Recall as a tool, besides `holdfast recall` in a shell:');
  expect(text).toContain('`holdfast proxy status` shows');
});

test('the start names only what works with this port and this store', () => {
  const text = startLines({ ...START, url: 'http://127.0.0.1:5000', hasShellRecall: false }).join('\n');
  expect(text).toContain('`holdfast proxy status --port 5000` shows');
  expect(text).toContain('\nRecall as a tool:\n');
});

test('savings are in dollars, or in input tokens where no price is known', () => {
  expect(endLines(STATUS)).toEqual([
    '80 requests, 6 folds in 2 conversations; $0.32 instead of $0.57 direct: $0.25, 44% saved; 263k instead of 511k direct, in input tokens of models without a known price: 49% saved',
  ]);
  const more = { ...STATUS.totals, dollars: { proxied: 0.29, direct: 0.23 }, units: { proxied: 0, direct: 0 } };
  expect(endLines({ ...STATUS, totals: more })[0]).toMatch(/; \$0\.29 instead of \$0\.23 direct: \$0\.060, 26% more$/);
  const none = { proxied: 0, direct: 0 };
  const idle = { totals: { ...STATUS.totals, requests: 0, folds: 0, dollars: none, units: none }, conversations: [] };
  expect(endLines(idle)).toEqual(['0 requests, 0 folds in 0 conversations']);
});

test('the end says what failed and what to do, by status', () => {
  const totals = { ...STATUS.totals, requests: 0, folds: 0, failed: { 401: 2, 404: 1, 529: 1 } };
  const none = { proxied: 0, direct: 0 };
  const status = { ...STATUS, totals: { ...totals, dollars: none, units: none }, conversations: [] };
  const lines = endLines(status);
  expect(lines[0]).toBe('0 requests answered, 4 failed, 0 folds in 0 conversations');
  expect(lines[1]).toMatch(/^2 requests failed with 401: .*key/);
  expect(lines[2]).toMatch(/^1 request failed with 404: .*base URL and model/);
  expect(lines[3]).toMatch(/^1 request failed with 529: .*later/);
  expect(statusLines(status, 0, 200, 24).slice(-4)).toEqual(lines);
});

test('the status is a table that fits the terminal', () => {
  const lines = statusLines(STATUS, 65_000, 100, 24);
  expect(lines.slice(0, 5)).toEqual([
    'http://127.0.0.1:4142, up 1m 05s, budget 50k tokens, 1 request running',
    '',
    'conversation   model          requests  folds  prompt  history  cost        direct',
    'k3v9abcdefghj  claude-opus-5  40        3      31k     110k     $0.32       $0.57',
    'zzzzzzzzzzzzz  own            40        3      31k     110k     263k units  511k units',
  ]);
  expect(statusLines(STATUS, 0, 30, 7).every((line) => line.length <= 30)).toBe(true);
  expect(statusLines(STATUS, 0, 100, 7)).toContain('… 1 more');
});

test('each event is one line', () => {
  const place = { api: 'anthropic', model: 'claude-opus-5', conversation: 'k3v9abcdefghj' } as const;
  const fold = { type: 'fold-end', ...place, fold: 3, before: 52_100, after: 24_300 } as const;
  expect(eventLine(fold)).toBe('folded k3v9abcdefghj (claude-opus-5): 52.1k to 24.3k tokens, fold 3');
  expect(eventLine({ type: 'budget-small', ...place, reserve: 20_000, max_tokens: 40_000, needed: 50_000 })).toMatch(
    /^the budget of 40k tokens is too small .* sends 20k .* set --budget to at least 50000$/,
  );
  // A request that was too large to be read names no model.
  expect(eventLine({ type: 'view-fail', api: 'gemini', model: '', code: 'OVER_BUDGET', message: 'large' })).toBe(
    'gemini: OVER_BUDGET: large',
  );
  expect(eventLine({ type: 'answer-fail', upstream: 'openai', path: '/v1/responses', status: 404 })).toMatch(
    /^openai answered \/v1\/responses with 404: .*model/,
  );
  expect(eventLine({ type: 'request-refuse', status: 403, message: 'web\npages' })).toBe('web pages');
});
