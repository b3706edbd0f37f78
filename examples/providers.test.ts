import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codingTask, createStandIn, fixedAnswers, STAND_IN_MODELS, type StandInOptions } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { plainChat } from './own-provider.ts';
import { iterate, localModel, oneTask, readTool } from './providers.ts';

const folder = join(import.meta.dirname, 'show');
const tools = [readTool((path) => readFile(join(folder, path), 'utf8'))];

async function standing(options: StandInOptions) {
  const standIn = await createStandIn(options);
  onTestFinished(() => standIn.close());
  return standIn;
}

test('a task with many calls completes', async () => {
  const { url, requests } = await standing({ script: codingTask(folder, { calls: 40, seed: 1 }) });
  expect(await oneTask(url, 'any', tools)).toMatchObject({ success: true, iterationComplete: true });
  expect(requests.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
});

test('iterations on a local model continue until the model reports the task as done', async () => {
  const model = STAND_IN_MODELS['gpt-4o'];
  const script = fixedAnswers('First.', 'Second.', 'Third. <DONE>');
  const { url, requests } = await standing({ script, ...(model ? { models: { 'qwen-coder-local': model } } : {}) });
  const result = await iterate(localModel(`${url}/v1`), 'Improve it.');
  expect(result).toMatchObject({ success: true, output: 'Third. <DONE>', completionSignal: '<DONE>' });
  expect(requests.length).toBe(3);
});

test('a custom provider has windows, retries and summaries like the others', async () => {
  const { url, requests } = await standing({
    script: codingTask(folder, { calls: 60, seed: 2 }),
    fault_rate: { rate: 0.1, seed: 4, kinds: ['overloaded', 'reset', 'server-error', 'malformed'] },
  });
  const provider = plainChat({ base_url: `${url}/v1`, api_key: 'any', max_wait_ms: 2, tools });
  const conversation = { max_messages: 20, summarize_on_trim: true };
  const result = await provider.execute('Improve the sources.', { conversation });
  expect(result).toMatchObject({ success: true, iterationComplete: true });
  expect(result.folds).toBeGreaterThan(2);
  expect(requests.filter(({ verdict }) => verdict === 'refused')).toEqual([]);
});
