import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const engine = join(dirname(fileURLToPath(import.meta.url)), '..');
const entry = join(engine, 'src/index.ts');
const rules = join(engine, 'src/rules/index.ts');

function* sources(folder: string): Generator<string> {
  for (const file of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, file.name);
    if (file.isDirectory()) yield* sources(path);
    else if (file.name.endsWith('.ts') && !file.name.endsWith('.test.ts')) yield path;
  }
}

const IMPORT = /(?:^import\b|^(?:import|export)\b[^;'"]*\bfrom|^\} from|\bimport\(|\brequire\()\s*['"]([^'"]+)['"]/gm;

test('the engine has no dependency', () => {
  const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(engine, 'package.json'), 'utf8'),
  );
  expect([dependencies, peerDependencies, optionalDependencies]).toEqual([undefined, undefined, undefined]);
});

test('the engine imports only its own files, and reads no global of Node', () => {
  const files = [...sources(join(engine, 'src'))];
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [, target = ''] of text.matchAll(IMPORT)) expect(target, file).toMatch(/^\.\.?\//);
    // The one clock: how long a fold waits for a summary. Where there are no timers, it waits.
    const timers = file.endsWith('summaries.ts') ? '' : '|setTimeout|setInterval';
    // Comments and plain text are not code.
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').replace(/`[^`$]*`/g, '``');
    expect(
      code.match(
        new RegExp(
          `\\b(?:process\\.|Buffer\\b|__dirname|Date\\.now|new Date|Math\\.random|performance\\.${timers})`,
          'g',
        ),
      ),
      file,
    ).toBeNull();
  }
});

test('the root entry bundles nothing of other packages', async () => {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'esm',
    write: false,
    metafile: true,
  });
  expect(Object.keys(metafile.inputs).some((input) => input.includes('node_modules'))).toBe(false);
});

test('a fold runs with nothing but the language', async () => {
  const script = `
    import { ConversationWindow } from ${JSON.stringify(entry)};
    import { validateAnthropic } from ${JSON.stringify(rules)};
    const history = [{ role: 'user', content: 'Fix it' }];
    for (let i = 0; i < 40; i++) {
      history.push({ role: 'assistant', content: [{ type: 'tool_use', id: 'id' + i, name: 'Read', input: { file_path: 'src/a.ts' } }] });
      history.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'id' + i, content: 'line of text\\n'.repeat(100) }] });
    }
    const window = new ConversationWindow({ max_tokens: 5000, max_messages: 0 });
    window.observe({});
    const small = new ConversationWindow({ max_messages: 3, preserve_last_n: 3 });
    small.trim([{ role: 'user', content: 'a' }, { role: 'user', content: 'a' }, { role: 'user', content: 'a' }, { role: 'user', content: 'a' }]);
    globalThis.outcome = window.fit(history).then(async ({ messages, receipt }) => ({
      invalid: validateAnthropic(messages).length,
      fold: receipt.fold,
      note: receipt.note.length > 0,
      recalled: JSON.stringify((await window.recall('m2')).messages[0]) === JSON.stringify(history[2]),
    }));`;
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: engine, loader: 'js' },
    bundle: true,
    format: 'iife',
    write: false,
  });
  const context = createContext({});
  runInContext('delete globalThis.console', context);
  runInContext(outputFiles[0]?.text ?? '', context);
  expect(await context.outcome).toEqual({ invalid: 0, fold: 1, note: true, recalled: true });
});
