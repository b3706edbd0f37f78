import { z } from 'zod';
import { type AgentTool, defineTool } from './define.ts';
import type { Outcome } from './options.ts';
import type { ToolSetting } from './setting.ts';

const text = z.string().trim().min(1);

/** `task_complete` and `task_blocked`: the model declares how the task ended; `onOutcome` receives it. */
export function endingTools(setting: ToolSetting): AgentTool[] {
  const end = (outcome: Outcome) => {
    setting.onOutcome?.(outcome);
    return `Noted: the task is ${outcome.type}.`;
  };
  return [
    defineTool(setting, {
      name: 'task_complete',
      description: 'Declares the whole task done and checked. summary: what was done.',
      schema: z.strictObject({ summary: text }),
      repeatable: true,
      ends: true,
      run: ({ summary }) => end({ type: 'complete', text: summary }),
    }),
    defineTool(setting, {
      name: 'task_blocked',
      description: 'Declares that the task cannot continue without help. reason: what is missing and what was tried.',
      schema: z.strictObject({ reason: text }),
      repeatable: true,
      ends: true,
      run: ({ reason }) => end({ type: 'blocked', text: reason }),
    }),
  ];
}
