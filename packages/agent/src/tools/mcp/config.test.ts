// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such texts are what is tested
import { expect, test } from 'vitest';
import { withVariables } from './config.ts';

test('${NAME} in env and headers is replaced by the variable; the rest is unchanged', () => {
  const variables = { TOKEN: 't-1', MODE: 'quiet' };
  const env = { A: '${TOKEN}', B: 'x-${MODE}-${TOKEN}', C: '$MODE {MODE}' };
  expect(withVariables('a', { command: '${TOKEN}', env }, variables)).toEqual({
    command: '${TOKEN}',
    env: { A: 't-1', B: 'x-quiet-t-1', C: '$MODE {MODE}' },
  });
  const remote = { url: 'http://h/', headers: { Authorization: 'Bearer ${TOKEN}' } };
  expect(withVariables('b', remote, variables)).toEqual({ url: 'http://h/', headers: { Authorization: 'Bearer t-1' } });
});

test('an unset or empty variable is named', () => {
  const server = { command: 'x', env: { A: '${GONE}' } };
  const said = 'MCP server "a" could not be started: set GONE in the environment';
  expect(() => withVariables('a', server, {})).toThrow(said);
  expect(() => withVariables('a', server, { GONE: '' })).toThrow(said);
});
