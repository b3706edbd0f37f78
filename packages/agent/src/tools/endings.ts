import { z } from 'zod';
import { type AgentTool, type Caps, defineTool } from './define.ts';

/** How the model says that a task ended. */
export interface Outcome {
  readonly type: 'complete' | 'blocked';
  /** What was done, or what is missing. */
  readonly text: string;
}

/** `task_complete` and `task_blocked`: the model's own word on how the task ended, given to `onOutcome`. */
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
      'Says that the whole task is done and checked. summary: what was done.',
      'summary',
      'Noted: the task is complete.',
    ),
    ending(
      'blocked',
      'task_blocked',
      'Says that the task cannot go on without somebody. reason: what is missing, and what was tried.',
      'reason',
      'Noted: the task is blocked.',
    ),
  ];
}
