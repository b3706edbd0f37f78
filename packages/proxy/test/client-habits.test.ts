import { tokensOf } from '@holdfast/models';
import { createStandIn, toolLoop } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { runProxy, runUpstream } from './running.ts';
import { longOutput } from './tool-agents.ts';

const schema = { type: 'object' };
const TOOLS = [
  { name: 'bash', input_schema: schema },
  { name: 'ToolSearch', input_schema: schema },
  { name: 'Fetch', input_schema: schema, defer_loading: true },
];
const TEXT = { type: 'text', text: 'Continue from where you left off.' };
const FOUND = { type: 'tool_reference', tool_name: 'Fetch' };
const says = <C>(role: string, content: C) => ({ role, content });
const calls = (id: string, name: string, input: unknown) => says('assistant', [{ type: 'tool_use', id, name, input }]);
const returns = (id: string, content: unknown) => says('user', [{ type: 'tool_result', tool_use_id: id, content }]);

/** A client that searched for a tool, and then ran this many commands. */
const history = (commands: number) => [
  says('user', 'Run the loop.'),
  calls('toolu_search', 'ToolSearch', { query: 'fetch' }),
  returns('toolu_search', [FOUND]),
  ...Array.from({ length: commands }, (_, i) => [
    calls(`toolu_${i}`, 'bash', { command: `seq ${i}` }),
    returns(`toolu_${i}`, longOutput(`seq ${i}`)),
  ]).flat(),
];

test('what clients do to their histories is never refused, folds nothing again, and reads the cache', async () => {
  const standIn = await createStandIn({ script: toolLoop({ calls: 1, command: () => 'true' }), keep_bodies: 1_000 });
  onTestFinished(() => standIn.close());
  const { url, events } = await runProxy(standIn.url, { max_tokens: 15_000 });
  const send = async (messages: readonly unknown[]) => {
    const asked = { model: 'claude-opus-5-5', max_tokens: 1_000, tools: TOOLS, messages };
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ ...asked, cache_control: { type: 'ephemeral' } }),
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
    });
    expect(response.status, await response.text()).toBe(200);
    const { body, usage } = standIn.requests.at(-1) ?? {};
    return { text: JSON.stringify(body), read: tokensOf(usage)?.cacheReadTokens ?? 0 };
  };

  for (let n = 1; n <= 45; n++) expect((await send(history(n))).text).toContain(JSON.stringify(FOUND));
  const folds = events.length;
  expect(folds).toBeGreaterThanOrEqual(3);

  const now = history(45);
  const result = returns('toolu_44', longOutput('seq 44'));
  expect(now.at(-1)).toEqual(result);
  const habits = {
    retry: now,
    'a sentence after a cut stream': [...now.slice(0, -1), says('user', [...result.content, TEXT])],
    'the sentence dropped again': history(46),
    'a request for a summary': [...history(46), says('assistant', 'Ok.'), says('user', 'Summarize.')],
    'going on without it': [...history(46), says('assistant', 'Done.'), says('user', 'Go on.')],
    'a rewind to another question': [...history(45), says('assistant', 'Done.'), says('user', 'Or else?')],
    resume: history(47),
  };
  for (const [habit, messages] of Object.entries(habits)) {
    const { text, read } = await send(messages);
    expect(text, habit).toContain(JSON.stringify(FOUND));
    expect(read, habit).toBeGreaterThan(0);
    expect(events.slice(folds), habit).toEqual([]);
  }
  await send([says('user', 'Summary: the loop was run.'), says('assistant', 'Ok.'), says('user', 'Go on.')]);
  expect(events).toHaveLength(folds);
});

test('a result reaches the model whole once, even if the user speaks right after it and the request folds', async () => {
  const upstream = await runUpstream((_, response, body) => {
    const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: 5 };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output: [], usage }));
  });
  const { url, events } = await runProxy(upstream.url, { max_tokens: 15_000 });
  const input: unknown[] = [says('user', 'Run the loop.')];
  for (let n = 1; n <= 30; n++) {
    const [call_id, output] = [`call_${n}`, longOutput(`seq ${n}`)];
    input.push({ type: 'function_call', call_id, name: 'bash', arguments: JSON.stringify({ command: `seq ${n}` }) });
    input.push({ type: 'function_call_output', call_id, output }, says('user', `Now number ${n + 1}.`));
    const body = JSON.stringify({ model: 'gpt-6-sol', input });
    expect((await fetch(`${url}/v1/responses`, { method: 'POST', body })).status).toBe(200);
    expect(upstream.reached.at(-1)?.body.toString()).toContain(JSON.stringify(output));
  }
  expect(events.length).toBeGreaterThanOrEqual(3);
  expect(events.every(({ type }) => type === 'fold-end')).toBe(true);
});
