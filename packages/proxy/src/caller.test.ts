import { expect, test } from 'vitest';
import { callerOf, modelFamily } from './caller.ts';

const SECRET = Buffer.alloc(32, 7);
const ask = (headers: Record<string, string>, fields: Record<string, unknown> = {}, model = 'claude-opus-5-5') =>
  callerOf({ headers }, { fields, model }, { dialect: 'anthropic' }, SECRET);

test('different keys are different owners, and no owner shows its key', () => {
  const [one, other] = [ask({ 'x-api-key': 'sk-ant-api-1' }), ask({ authorization: 'Bearer sk-ant-api-2' })];
  expect(one.owner).not.toBe(other.owner);
  expect(one.owner).toBe(ask({ authorization: 'Bearer sk-ant-api-1' }).owner);
  expect(one.owner).toMatch(/^anthropic [0-9a-f]{32} claude-opus$/);
  const elsewhere = callerOf(
    { headers: { 'x-api-key': 'sk-ant-api-1' } },
    { fields: {}, model: '' },
    { dialect: 'anthropic' },
    Buffer.alloc(32),
  );
  expect(elsewhere.owner.split(' ')[1]).not.toBe(one.owner.split(' ')[1]);
});

test('Gemini’s key counts in its header and in the query alike', () => {
  const gemini = (headers: Record<string, string>, url?: string) =>
    callerOf(
      { headers, ...(url && { url }) },
      { fields: {}, model: 'gemini-3.8-flash' },
      { dialect: 'gemini' },
      SECRET,
    );
  const { owner } = gemini({ 'x-goog-api-key': 'AIza-1' });
  expect(owner).toMatch(/^gemini [0-9a-f]{32} gemini-flash$/);
  expect(gemini({}, '/v1beta/models/m:generateContent?alt=sse&key=AIza-1').owner).toBe(owner);
  expect(gemini({ 'x-goog-api-key': 'AIza-2' }).owner).not.toBe(owner);
});

test('OAuth tokens count by account, or not at all', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const user = (account: string, session: string) => ({
    metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: account, session_id: session }) },
  });
  const owner = ask(bearer('sk-ant-oat01-a'), user('A', '1')).owner;
  expect(ask(bearer('sk-ant-oat01-b'), user('A', '2')).owner).toBe(owner);
  expect(ask(bearer('sk-ant-oat01-b'), { metadata: { user_id: 'user_x_account_A_session_3' } }).owner).toBe(owner);
  expect(ask(bearer('sk-ant-oat01-b'), user('B', '2')).owner).not.toBe(owner);
  const jwt = (payload: string) => bearer(`eyJhbGciOi.${payload}.c2ln`);
  expect(ask(jwt('a')).owner).toBe('anthropic  claude-opus');
  expect(ask({ ...jwt('a'), 'chatgpt-account-id': 'A' }).owner).toBe(owner);
});

test('a client names its conversation in headers and in the body', () => {
  expect(ask({}).hint).toBeUndefined();
  expect(ask({ 'x-claude-code-session-id': 's', 'x-claude-code-agent-id': 'a' }).hint).toBe('s a');
  expect(ask({ 'session-id': 's', 'thread-id': 't' }, { prompt_cache_key: 'c' }).hint).toBe('s t c');
});

test.each([
  ['claude-opus-5-5', 'claude-opus'],
  ['claude-opus-5-20260801', 'claude-opus'],
  ['anthropic/claude-opus-5', 'claude-opus'],
  ['claude-haiku-4-5', 'claude-haiku'],
  ['gpt-6-sol', 'gpt-sol'],
  ['gpt-5.6-sol-2026-08-01', 'gpt-sol'],
  ['', ''],
])('the family of %s is %s', (model, family) => expect(modelFamily(model)).toBe(family));
