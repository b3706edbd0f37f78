import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codingTask } from '@holdfast/stand-in';
import { memoryArchive } from 'holdfast';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { type Checkpoint, createTools, type ExecutionResult, resumeFrom, type Tool } from '../src/index.ts';
import { APIS, refused, standing } from './apis.ts';
import { sources } from './file-tools.ts';

const FILES = Object.fromEntries(
  Array.from({ length: 4 }, (_, file) => [
    `src/part-${file}.ts`,
    Array.from({ length: 15 }, (_, line) => `export const value_${file}_${line} = ${file * line};`).join('\n'),
  ]),
);
const CALLS = SOAK ? 24 : 12;
const OPTIONS = { max_messages: 14, preserve_last_n: 6 };

/** Ends an execution as a killed process does: nothing of it happens any more. */
class Killed extends Error {}

async function toolsIn(workspace: string): Promise<readonly Tool[]> {
  return (await createTools({ workspace })).tools;
}

function contents(folder: string): string[] {
  return Object.keys(FILES).map((path) => readFileSync(join(folder, path), 'utf8'));
}

test.each(APIS)(
  '$name: an execution interrupted at any checkpoint resumes, and no call gets two results',
  async (api) => {
    // As it is when nothing happens.
    const untouched = sources(FILES);
    const straight = await standing({ script: codingTask(untouched, { calls: CALLS, seed: 5 }) });
    const all: Checkpoint[] = [];
    await api.provider(straight, { model: api.models[0] }).execute('Do the task.', {
      tools: await toolsIn(untouched),
      conversation: OPTIONS,
      onCheckpoint: (checkpoint) => void all.push(checkpoint),
    });
    const wanted = contents(untouched);
    expect(wanted).not.toEqual(Object.values(FILES));

    const folder = sources(FILES);
    const standIn = await standing({ script: codingTask(folder, { calls: CALLS, seed: 5 }), keep_bodies: 1_000 });
    const provider = api.provider(standIn, { model: api.models[0] });
    const archive = memoryArchive();
    const results = new Map<string, string>();
    let kept: Checkpoint[] = [];
    let result: ExecutionResult | undefined;
    let kills = 0;
    // Cut off after one checkpoint, then two, three and four, and again from one.
    for (let lives = 1; result === undefined; lives = (lives % 4) + 1) {
      let left = lives;
      const onCheckpoint = (checkpoint: Checkpoint) => {
        // The first of a life only says again where it is.
        if (left < 0) throw new Killed();
        left--;
        if (checkpoint.type === 'state') kept = [checkpoint];
        else kept.push(checkpoint);
        if (checkpoint.type === 'result') {
          expect(results.has(checkpoint.id), `a second result for ${checkpoint.id}`).toBe(false);
          results.set(checkpoint.id, checkpoint.text);
        }
      };
      // Plain JSON, as in a file.
      const state: unknown = JSON.parse(JSON.stringify(resumeFrom(kept) ?? null));
      const ended = await provider.execute(kept.length === 0 ? 'Do the task.' : '', {
        tools: await toolsIn(folder),
        conversation: OPTIONS,
        archive,
        conversationState: state ?? undefined,
        onCheckpoint,
      });
      if (ended.success) result = ended;
      else kills++;
    }
    expect(kills).toBeGreaterThan(CALLS / 2);
    expect(refused(standIn)).toEqual([]);
    expect(result).toMatchObject({ success: true, iterationComplete: true });
    // And the one that says that the task is complete.
    expect(results.size).toBe(CALLS + 1);
    expect(results.size).toBe(all.filter(({ type }) => type === 'result').length);
    expect(contents(folder)).toEqual(wanted);
  },
);

test('interrupted calls: a read runs again, an edit is recognized as done, a command is reported', async () => {
  const [api] = APIS;
  if (!api) throw new Error('no API');
  const folder = sources({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' });
  const edit = (id: string, path: string) => ({
    id,
    name: 'edit_file',
    input: { path, old_text: 'one', new_text: 'one two' },
  });
  const calls = [
    { id: 'read', name: 'read_file', input: { path: 'a.txt' } },
    edit('done', 'a.txt'),
    edit('not_done', 'b.txt'),
    edit('changed', 'c.txt'),
    { id: 'write', name: 'write_file', input: { path: 'new.txt', content: 'new' } },
    { id: 'command', name: 'run_command', input: { command: 'echo again >> log.txt' } },
  ];
  const standIn = await standing({
    script: ({ results }) => (results.length > 0 ? { text: 'Done.' } : { calls }),
  });
  const tools = await toolsIn(folder);
  const tool = (name: string) => tools.find((one) => one.name === name);
  const kept: Checkpoint[] = [];
  await api.provider(standIn, { model: api.models[0] }).execute('Go.', {
    tools,
    onCheckpoint(checkpoint) {
      if (kept.length === 2) throw new Killed();
      kept.push(checkpoint);
    },
  });
  expect(kept.map(({ type }) => type)).toEqual(['state', 'state']);
  // All of them were begun; one edit and the command were done when the process was killed.
  for (const { id, name, input } of calls) {
    const mark = tool(name)?.mark?.(input);
    kept.push({ type: 'call', id, ...(mark === undefined ? {} : { mark }) });
  }
  writeFileSync(join(folder, 'a.txt'), 'one two\n');
  writeFileSync(join(folder, 'c.txt'), 'one, and somebody else\n');
  writeFileSync(join(folder, 'log.txt'), 'again\n');
  const results: Record<string, string> = {};
  const ended = await api.provider(standIn, { model: api.models[0] }).execute('', {
    tools,
    conversationState: resumeFrom(kept),
    onCheckpoint(checkpoint) {
      if (checkpoint.type === 'result') results[checkpoint.id] = checkpoint.text;
    },
  });
  expect(ended).toMatchObject({ success: true, output: expect.stringContaining('Done.') });
  expect(results).toEqual({
    read: '1\tone two',
    done: 'edited a.txt',
    not_done: 'edited b.txt: 1 place, at line 1',
    changed: expect.stringContaining('something else has changed c.txt since'),
    write: 'created new.txt: 1 line, 3 bytes',
    command: expect.stringContaining('Look before you repeat it'),
  });
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('one two\n');
  expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('again\n');
});

test('the prompt can be pinned: no fold touches it, and one too large to pin is a clear error', async () => {
  const [api] = APIS;
  if (!api) throw new Error('no API');
  const folder = sources(FILES);
  const standIn = await standing({ script: codingTask(folder, { calls: 40, seed: 2 }), keep_bodies: 1_000 });
  const provider = api.provider(standIn, { model: api.models[0], tools: await toolsIn(folder) });
  const rules = 'Rule 7: never touch part-3.\n'.repeat(300);
  const conversation = { max_tokens: 12_000, max_messages: 16, preserve_last_n: 6 };
  const { success, folds } = await provider.execute(rules, { conversation, pin_prompt: true });
  expect(success && (folds ?? 0) > 1).toBe(true);
  for (const { body } of standIn.requests.filter(({ path }) => path === '/v1/messages'))
    expect(JSON.stringify(body)).toContain(JSON.stringify(rules).slice(1, -1));
  const large = await provider.execute(rules.repeat(3), { conversation, pin_prompt: true });
  expect(large).toMatchObject({
    success: false,
    error: expect.stringMatching(/takes \d+ tokens, but may take at most \d+, half of the budget: shorten it/),
  });
});
