import type { Context } from './context.ts';
import { firstPrompt, nextPrompt } from './prompts.ts';
import { hashOf, type RunSpeaker, type SavedRun } from './run-log.ts';
import { NOTHING } from './totals.ts';

/** A run before anything was said. Pure. */
export function firstRun(provider: string, workspace: string, context: Context, speaker: RunSpeaker = {}): SavedRun {
  const prompt = firstPrompt(context);
  return {
    given: hashOf(prompt),
    provider,
    speaker,
    workspace,
    status: 'running',
    iteration: 1,
    stage: 'prompt',
    prompt,
    calls: 0,
    open_results: 0,
    failures: 0,
    totals: NOTHING,
    validation: [],
  };
}

/**
 * The state that a run resumes with: no failures, a blocked task to be tried again, and for a run that was never answered,
 * today's prompt. Pure.
 */
export function resumedRun(saved: SavedRun, first: SavedRun): SavedRun {
  const { requests, elapsed_ms } = saved.totals;
  if (requests === 0) return { ...first, totals: { ...first.totals, elapsed_ms } };
  const { speaker = {} } = first;
  if (saved.status !== 'blocked') return { ...saved, speaker, failures: 0 };
  const { outcome: _, ...rest } = saved;
  const iteration = saved.iteration + 1;
  const prompt = nextPrompt(iteration, [], 'blocked');
  return { ...rest, speaker, stage: 'prompt', iteration, prompt, calls: 0, failures: 0 };
}
