import { createTools, folderOutputs, parseScope, type Tools } from '@holdfast/agent';

export async function toolsForTask(workspace: string, task: string, outputs: string): Promise<Tools> {
  return await createTools({
    workspace,
    scope: parseScope(task), // "### Allowed" and "### Forbidden"
    outputs: folderOutputs(outputs), // stores long outputs; the model gets a handle
    allowed_commands: ['npm test', 'npx vitest *'],
    approve: (call) => call.name !== 'run_command' || 'ask someone first',
    onOutcome: ({ type, text }) => console.log(`${type}: ${text}`),
  });
}
