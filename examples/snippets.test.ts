import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runAgent } from './agent-loop.ts';
import { generateConversation } from './generate.ts';
import { compare } from './measure.ts';
import { forgetNothing } from './recall.ts';
import { replayFile } from './replay-file.ts';
import { window as smallWindow } from './small-bundle.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every TypeScript snippet in a page. */
function snippets(page: string): string[] {
  return [...readFileSync(join(root, page), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
}

test('every snippet in README and docs comes from a tested example', () => {
  const files = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'));
  const examples = files.map((name) => readFileSync(join(root, 'examples', name), 'utf8'));
  const pages = [
    'README.md',
    ...['engine', 'models', 'sessions', 'replay', 'agent', 'crew', 'integrations', 'cli'].map(
      (name) => `packages/${name}/README.md`,
    ),
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];
  const found = pages.flatMap((page) => snippets(page).map((code) => ({ page, code })));
  expect(found.length).toBeGreaterThanOrEqual(3);
  for (const { page, code } of found)
    expect(
      examples.some((text) => text.includes(code.trim())),
      `${page}:\n${code}`,
    ).toBe(true);
});

test('the page on LangChain installs the versions that our tests run with', () => {
  const page = readFileSync(join(root, 'docs/langchain.md'), 'utf8');
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const version = (name: string): string => lock[`node_modules/@langchain/${name}`].version;
  expect(page).toContain(`npm pkg set "overrides.@langchain/langgraph-sdk=${version('langgraph-sdk')}"`);
  expect(page).toContain(`@langchain/langgraph@${version('langgraph').split('.').slice(0, 2).join('.')} `);
});

test('a window of named parts folds, with the facts in its note', async () => {
  const recorded = generateConversation({ seed: 5, messages: 800, dialect: 'anthropic' });
  const { receipt, metrics } = await smallWindow.fit(recorded as Parameters<typeof smallWindow.fit>[0]);
  expect(receipt?.note).toContain('## Files');
  expect(metrics.estimatedTokens).toBeLessThan(40_000);
});

test('the agent loop keeps requests within budget and the history complete', async () => {
  const recorded = generateConversation({ seed: 3, messages: 500, dialect: 'anthropic' });
  const [first, ...rest] = recorded;
  const sizes: number[] = [];
  const history = await runAgent(String(first?.content), async (messages) => {
    sizes.push(messages.length);
    const message = rest.shift();
    if (!message) throw new Error('the script has ended');
    const results = rest[0]?.role === 'user' ? rest.shift() : undefined;
    const usage = { input_tokens: 10_000 + Math.ceil(JSON.stringify(messages).length / 3.2) };
    return { message, usage, ...(results ? { results } : {}) };
  });
  expect(history.length).toBe(recorded.length);
  expect(Math.max(...sizes)).toBeLessThan(recorded.length / 2);
});

test('messages that compact() drops can be recalled by the handle in its receipt', async () => {
  const history = generateConversation({ seed: 5, messages: 200, dialect: 'openai-chat' });
  const { receipt, originals } = await forgetNothing(history);
  const dropped = receipt.turns.find((turn) => turn.verdict === 'drop');
  expect(originals).toEqual(history.slice(dropped?.from, (dropped?.to ?? 0) + 1));
});

test('a recorded conversation can be measured', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'holdfast-')), 'recorded.jsonl');
  const messages = generateConversation({ seed: 7, messages: 400, dialect: 'anthropic' });
  writeFileSync(file, [{ meta: { format: 'anthropic' } }, ...messages].map((line) => JSON.stringify(line)).join('\n'));
  const { relativeCost, coverage, spans } = await compare(file);
  expect(relativeCost).toBeLessThan(0.8);
  expect(coverage).toBeGreaterThan(90);
  expect(spans).toBeGreaterThan(0);
  const same = await replayFile(file, 'fold', 40_000);
  expect(same.coverage).toBeGreaterThan(90);
  expect(same.pointed).toBeGreaterThan(50);
});
