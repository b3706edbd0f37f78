import { resumeFrom } from '../loop/saved.ts';
import type { Checkpoint } from '../providers/provider.ts';
import type { Context } from './context.ts';
import { firstPrompt, nextPrompt } from './prompts.ts';
import { hashOf, type RunLine, type RunSpeaker, type SavedRun } from './run-store.ts';
import { NOTHING } from './totals.ts';

/** A run before anything was said. Pure. */
export function firstRun(provider: string, workspace: string, context: Context, speaker: RunSpeaker = {}): SavedRun {
  const prompt = firstPrompt(context);
  return {
    version: 1,
    given: hashOf(prompt),
    provider,
    speaker,
    workspace,
    status: 'running',
    iteration: 1,
    stage: 'prompt',
    prompt,
    calls: 0,
    failures: 0,
    totals: NOTHING,
    validation: [],
  };
}

/**
 * A run as it goes on: with what was added to it; failures are forgotten, what was blocked is looked at anew, and one that
 * nobody ever answered begins with what is to be said now. Pure.
 */
export function resumedRun(saved: SavedRun, lines: readonly RunLine[], first: SavedRun): SavedRun {
  const { requests, elapsed_ms } = saved.totals;
  if (requests === 0) return { ...first, totals: { ...first.totals, elapsed_ms } };
  const { speaker = {} } = first;
  const merged = { ...withLines(saved, lines), speaker };
  if (saved.status !== 'blocked') return { ...merged, failures: 0 };
  const { outcome: _, ...rest } = merged;
  const iteration = saved.iteration + 1;
  const prompt = nextPrompt(iteration, [], 'blocked');
  return { ...rest, stage: 'prompt', iteration, prompt, calls: 0, failures: 0 };
}

/** A saved run with what was added to it since. Pure. */
export function withLines(run: SavedRun, lines: readonly RunLine[]): SavedRun {
  const checkpoints = lines.filter((line): line is Extract<RunLine, Checkpoint> => line.type !== 'outcome');
  const said = lines.findLast((line) => line.type === 'outcome');
  const results = checkpoints.filter(({ type }) => type === 'result').length;
  // Saying that the task is over is no work.
  const work = results - (said ? 1 : 0);
  const state: Checkpoint = { type: 'state', conversationState: run.conversationState, progress: { filesChanged: [] } };
  return {
    ...run,
    ...(run.stage === 'open' ? { conversationState: resumeFrom([state, ...checkpoints]) } : {}),
    ...(said?.type === 'outcome' ? { outcome: said.outcome } : {}),
    calls: run.calls + Math.max(0, work),
    totals: { ...run.totals, calls: run.totals.calls + results },
  };
}
