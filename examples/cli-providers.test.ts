import { expect, test } from 'vitest';
import { ranWith, writeProgram } from '../packages/agent/test/program.ts';
import { onePrompt, twoPrompts } from './cli-providers.ts';

const RESULT = `say({ type: 'result', subtype: 'success', is_error: false, result: input(), session_id: 's-1' });`;

test('the second prompt continues the session of the first', async () => {
  const { folder, program } = writeProgram(RESULT);
  expect(await twoPrompts(program, folder)).toMatchObject({ success: true, output: 'Now make it pass.' });
  expect(ranWith(folder)).toMatchObject({ cwd: folder, args: expect.arrayContaining(['--resume', 's-1']) });
});

test("Cursor's agent runs in the folder", async () => {
  const { folder, program } = writeProgram(RESULT);
  expect(await onePrompt(program, folder)).toMatchObject({ success: true, output: 'Rename parseDate to readDate.' });
});
