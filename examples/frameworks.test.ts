import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultBudget, modelInfo } from '@holdfast/models';
import { createStandIn, type Script } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';

const FILES = 30;
const BUDGET = defaultBudget(modelInfo('claude-opus-5-5')).tokens;

/** How a note names what was read. */
const HANDLE = /\bread (m\d+(?:\.\d+)?(?:@[0-9a-z]{13})?)\b/g;

/** Reads README.md and the files that it names, one by one. For the second question it recalls one of them first. */
function reader(recalled: string[]): Script {
  return ({ messages, results }) => {
    const asked = messages.findLast(({ role, results: own }) => role === 'user' && own.length === 0)?.text ?? '';
    const calls = messages.flatMap((message) => message.calls);
    const paths = calls.map(({ input }) => String((input as { path?: string }).path));
    const read = Math.max(
      -1,
      ...paths.map((path) => Number(/^file-(\d+)\.txt$/.exec(path)?.[1] ?? (path === 'README.md' ? 0 : -1))),
    );
    if (!asked.includes('longest')) {
      if (read === FILES) return { text: 'All files are read.' };
      return { calls: [{ name: 'read_file', input: { path: read < 0 ? 'README.md' : `file-${read + 1}.txt` } }] };
    }
    recalled.push(...results.map(({ text }) => text));
    if (results.length > 0) return { text: 'The last one.' };
    const handle =
      [
        ...messages
          .map(({ text }) => text)
          .join('\n')
          .matchAll(HANDLE),
      ].at(-1)?.[1] ?? '';
    return { calls: [{ name: 'recall', input: { handle } }] };
  };
}

/** A folder with a README that names files, of more tokens than the budget. */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-frameworks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  const names = Array.from({ length: FILES }, (_, i) => `file-${i + 1}.txt`);
  writeFileSync(join(folder, 'README.md'), names.join('\n'));
  for (const name of names)
    writeFileSync(
      join(folder, name),
      Array.from({ length: 150 }, (_, i) => `${name} line ${i}: ${'word '.repeat(10)}`).join('\n'),
    );
  return folder;
}

test.each(['ai-sdk', 'langchain', 'openai-agents', 'mastra', 'strands', 'google-adk', 'own-loop'])(
  '%s.ts runs as it is pasted, in an empty folder',
  async (name) => {
    const recalled: string[] = [];
    const api = await createStandIn({ script: reader(recalled) });
    onTestFinished(() => api.close());
    const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
    expect(readFileSync(new URL(`../docs/${name}.md`, import.meta.url), 'utf8')).toContain(
      readFileSync(script, 'utf8').trim(),
    );
    const folder = project();
    const { code, out, problems } = await run(script, folder, {
      ANTHROPIC_BASE_URL: name === 'ai-sdk' || name === 'mastra' ? `${api.url}/v1` : api.url,
      ANTHROPIC_API_KEY: 'none',
      OPENAI_BASE_URL: `${api.url}/v1`,
      OPENAI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: api.url,
      GEMINI_API_KEY: 'none',
    });
    expect(code, problems).toBe(0);
    expect(api.requests.map(({ verdict }) => verdict)).toEqual(Array.from({ length: FILES + 4 }, () => 'answered'));
    const lines = out.trim().split('\n');
    expect(lines.filter((line) => line.startsWith('folded to')).length).toBeGreaterThan(0);
    expect(lines).toContain('All files are read.');
    expect(lines.at(-1)).toBe('The last one.');
    const files = ['README.md', ...Array.from({ length: FILES }, (_, i) => `file-${i + 1}.txt`)];
    const originals = files.map((file) => readFileSync(join(folder, file), 'utf8'));
    expect(recalled.length).toBe(1);
    // A loop of its own may return whole messages, as JSON.
    const isIn = (text: string) =>
      [text, JSON.stringify(text).slice(1, -1)].some((form) => recalled[0]?.includes(form));
    expect(originals.some(isIn)).toBe(true);
    const prompts = api.requests.map(({ usage }) => usage as Record<string, number>);
    const sizes = prompts.map(
      ({
        input_tokens = 0,
        cache_creation_input_tokens = 0,
        cache_read_input_tokens = 0,
        prompt_tokens = 0,
        promptTokenCount = 0,
      }) => input_tokens + cache_creation_input_tokens + cache_read_input_tokens + prompt_tokens + promptTokenCount,
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(BUDGET);
  },
);

test('the agent in docs/integrations.md runs without a key, as it is pasted, in an empty folder', async () => {
  const { code, out, problems } = await run(fileURLToPath(new URL('./try-agent.ts', import.meta.url)), project(), {});
  expect(code, problems).toBe(0);
  const lines = out.trim().split('\n');
  expect(lines.pop()).toBe('I have read all pages. 41 requests');
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/^folded \d+ tokens to \d+$/);
});

function run(script: string, cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', script], {
    cwd,
    env: { ...process.env, ...env },
  });
  let [out, problems] = ['', ''];
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    problems += part;
  });
  return new Promise<{ code: number | null; out: string; problems: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out, problems }));
  });
}
