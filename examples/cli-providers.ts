import { claudeCli, cursorCli, type ExecutionResult } from '@holdfast/agent';

/** Sends two prompts to one Claude Code session; the second can refer to the first. */
export async function twoPrompts(program: string, cwd: string): Promise<ExecutionResult> {
  const claude = claudeCli({ program, permission_mode: 'acceptEdits' });
  const first = await claude.execute('Write a failing test for the date bug.', { cwd, time_limit_ms: 600_000 });
  if (!first.success) return first;
  return claude.execute('Now make it pass.', { cwd, conversationState: first.conversationState });
}

/** Sends one prompt to Cursor's agent in a folder that it may change. */
export function onePrompt(program: string, cwd: string): Promise<ExecutionResult> {
  const cursor = cursorCli({ program, force: true, trust: true });
  return cursor.execute('Rename parseDate to readDate.', { cwd });
}
