import { createRandom, type Random } from './random.ts';
import { createTools, type Step } from './steps.ts';
import { guardTask, limitTask, questionTask, type Task, testTask } from './tasks.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

const TASKS: readonly Task[] = [guardTask, guardTask, limitTask, testTask, questionTask];
const INTERJECTION_SHARE = 0.04;

/** An endless session of a coding agent on a made-up project: one task after another. Deterministic for a seed. */
export function* session(seed: number): Generator<Step> {
  const random = createRandom(seed);
  const workspace = createWorkspace(random);
  const tools = createTools(workspace);
  for (;;) {
    for (const step of random.pick(TASKS)({ random, workspace, tools })) {
      if (step.type !== 'work' || !random.chance(INTERJECTION_SHARE)) yield step;
      else yield { ...step, interjection: interjection(random, workspace) };
    }
  }
}

function interjection(random: Random, workspace: Workspace): string {
  const module = random.pick(workspace.modules);
  return random.pick([
    `One more thing for later: leave ${random.pick(module.constants)} alone, the dashboard reads it.`,
    `By the way, ${module.path} is reviewed by someone else this week; keep changes there small.`,
    `Please use the words of ${module.test} in new tests.`,
    'Go on, but keep the public names as they are.',
  ]);
}
