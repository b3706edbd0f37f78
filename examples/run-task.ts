import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createProvider,
  type ExecutorResult,
  loadConfig,
  newRun,
  parseTask,
  runsFolder,
  runTask,
} from '@holdfast/agent';

export async function tidy(workspace: string, base_url: string, home: string): Promise<ExecutorResult> {
  const { config } = loadConfig({ cwd: workspace }); // holdfast.yml, or defaults
  const path = join(workspace, 'TASK.md');
  return await runTask({
    task: parseTask(readFileSync(path, 'utf8'), path),
    path,
    workspace,
    config,
    provider: createProvider({ ...config.provider, base_url }),
    folder: newRun(runsFolder(home, path)), // or newestRun(…) to resume one
    onEvent: (event) => {
      if (event.type === 'call-start') console.log(event.name, event.about);
    },
  });
}
