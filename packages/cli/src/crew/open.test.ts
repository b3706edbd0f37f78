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

test('the stand-in plays a crew of any models: by the API of each, and in place of those that it has not', async () => {
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
      'The stand-in is no model, and costs nothing: a script plays the agents; tools really run.',
      'agent b: the stand-in has no model gpt-9-nano, and plays claude-sonnet-5 in its place',
    ]);
    expect(await crew.executor.execute('hello')).toMatchObject({ status: 'complete', agent: 'c', rounds: 3 });
  } finally {
    await crew.close();
  }
  await expect(open('gpt-9-nano')).rejects.toThrow('the stand-in has no model gpt-9-nano: leave --model out');
});
