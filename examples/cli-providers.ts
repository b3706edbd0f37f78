import { claudeCli, cursorCli, type ExecutionResult } from '@holdfast/agent';

/** Two prompts in one session of Claude Code; the second knows what the first said. */
export async function twoPrompts(program: string, cwd: string): Promise<ExecutionResult> {
  const claude = claudeCli({ program, permission_mode: 'acceptEdits' });
  const first = await claude.execute('Write a failing test for the date bug.', { cwd, time_limit_ms: 600_000 });
  if (!first.success) return first;
  return claude.execute('Now make it pass.', { cwd, conversationState: first.conversationState });
}

/** One prompt for Cursor's agent in a folder that may be changed. */
export function onePrompt(program: string, cwd: string): Promise<ExecutionResult> {
  const cursor = cursorCli({ program, force: true, trust: true });
  return cursor.execute('Rename parseDate to readDate.', { cwd });
}
