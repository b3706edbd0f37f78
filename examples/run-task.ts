import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createProvider,
  type ExecutorResult,
  folderOutputs,
  loadConfig,
  newRun,
  parseTask,
  runTask,
} from '@holdfast/agent';
import { sqlite } from '@holdfast/sessions';

export async function tidy(workspace: string, base_url: string, home: string): Promise<ExecutorResult> {
  const { config } = loadConfig({ cwd: workspace }); // holdfast.yml, or defaults
  const path = join(workspace, 'TASK.md');
  const task = parseTask(readFileSync(path, 'utf8'), path);
  const store = await sqlite(join(home, 'sessions.db'));
  const session = await newRun(store, path, task.title); // or newestRun(store, path) to resume one
  try {
    return await runTask({
      task,
      path,
      workspace,
      config,
      provider: createProvider({ ...config.provider, base_url }),
      store,
      session,
      outputs: folderOutputs(join(home, 'outputs', session)),
      onEvent: (event) => {
        if (event.type === 'call-start') console.log(event.name, event.about);
      },
    });
  } finally {
    await store.close();
  }
}
