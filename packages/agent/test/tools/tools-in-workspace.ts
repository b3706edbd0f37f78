import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createTools, type ToolResult, type ToolsOptions } from '../../src/index.ts';

export const SECRET = 'TOP-SECRET-CONTENT';

/** A workspace with tools, next to a folder that they must not reach; all of it is removed after the test. */
export async function toolsInWorkspace(
  options: Partial<ToolsOptions> = {},
  files: Readonly<Record<string, string>> = {},
) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-tools-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const workspace = join(base, 'workspace');
  const outside = join(base, 'outside');
  for (const folder of [workspace, outside]) mkdirSync(folder);
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  const made = await createTools({ workspace, grace_ms: 300, ...options });
  onTestFinished(() => made.close());
  return {
    ...made,
    base,
    workspace,
    outside,
    put,
    text: (path: string) => readFileSync(join(workspace, path), 'utf8'),
    async call(name: string, input: unknown, signal?: AbortSignal): Promise<ToolResult> {
      const tool = made.tools.find((one) => one.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      return await tool.call(input, signal ? { signal } : {});
    },
  };
}
