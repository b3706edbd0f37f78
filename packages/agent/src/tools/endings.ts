import { z } from 'zod';
import { type AgentTool, type Caps, defineTool } from './define.ts';

/** How the model ended the task. */
export interface Outcome {
  readonly type: 'complete' | 'blocked';
  /** What was done, or what blocks the task. */
  readonly text: string;
}

/** `task_complete` and `task_blocked`: the model declares how the task ended; `onOutcome` receives it. */
export function endingTools(onOutcome: (outcome: Outcome) => void, caps: Caps): AgentTool[] {
  const ending = (type: Outcome['type'], name: string, description: string, field: string, said: string) =>
    defineTool(
      {
        name,
        description,
        schema: z.strictObject({ [field]: z.string().trim().min(1) }),
        repeatable: true,
        ends: true,
        run(input) {
          onOutcome({ type, text: input[field] ?? '' });
          return said;
        },
      },
      caps,
    );
  return [
    ending(
      'complete',
      'task_complete',
      'Declares the whole task done and checked. summary: what was done.',
      'summary',
      'Noted: the task is complete.',
    ),
    ending(
      'blocked',
      'task_blocked',
      'Declares that the task cannot continue without help. reason: what is missing and what was tried.',
      'reason',
      'Noted: the task is blocked.',
    ),
  ];
}
