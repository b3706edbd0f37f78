import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCrewFile } from './open.ts';

const cwd = mkdtempSync(join(tmpdir(), 'holdfast-crew-'));
const crewOf = (name: string, text: string) => {
  writeFileSync(join(cwd, name), text);
  return (model?: string) =>
    openCrewFile(name, { provider: 'stand-in', ...(model ? { model } : {}) }, { cwd, env: {} });
};

test('the stand-in plays agents with any model, by the API of each, and replaces unknown models', async () => {
  const open = crewOf(
    'crew.yml',
    `entry: a
provider: { type: openai-api, model: gpt-5.2 }
agents:
  a: { role: x, next: b }
  b: { role: y, model: gpt-9-nano, next: c }
  c: { role: z, model: claude-haiku-4-5 }
`,
  );
  const crew = await open();
  try {
    expect(crew.notice).toEqual([
      'Using the stand-in: a script plays the agents, and tools really run. The costs shown are not billed.',
      'agent b: the stand-in has no model gpt-9-nano, using claude-sonnet-5 instead',
    ]);
    expect(await crew.executor.execute('hello')).toMatchObject({ status: 'complete', agent: 'c', rounds: 3 });
  } finally {
    await crew.close();
  }
  await expect(open('gpt-9-nano')).rejects.toThrow('the stand-in has no model gpt-9-nano: remove --model');
});
