import { hashOf } from '../json.ts';
import type { Answer, Prompt, Script } from '../script.ts';
import { type Intent, isDone, planTask } from './coding-plan.ts';
import { EARLY, type Edit, memoryCheck } from './memory-check.ts';
import { summaryAnswer } from './summary.ts';
import { callFor } from './tool-input.ts';

/** The length of a task, and what it may do. */
export interface CodingTaskOptions {
  /** Tool calls in total: 50 if absent. */
  readonly calls?: number;
  /** The same seed and folder give the same task. */
  readonly seed?: number;
  /** The end of the final text, for agents that wait for a certain word. */
  readonly completion?: string;
  /** Pauses after this many calls until asked to continue; never if absent. */
  readonly calls_per_answer?: number;
  /** False: it only reads, lists and searches. Default true: it also edits files and runs commands. */
  readonly edits?: boolean;
  /** True: states a decision and a rule early, looks for them in the view at the end, and recalls a line that it changed. */
  readonly remembers?: boolean;
}

/**
 * A long coding task over a real folder: reads, searches, edits and commands, sometimes in parallel, then a call of
 * `task_complete` if there is such a tool, and a final text. The folder is read once; each step depends only on the request,
 * whose call ids (`step_<step>_<call>_<task>`) show the progress even after the history was folded.
 */
export function codingTask(folder: string, options: CodingTaskOptions = {}): Script {
  const {
    calls = 50,
    seed = 1,
    completion = '',
    calls_per_answer = Number.POSITIVE_INFINITY,
    edits = true,
    remembers = false,
  } = options;
  const steps = planTask(folder, calls, seed, edits);
  const changes = steps.flat().filter((intent): intent is Edit => intent.kind === 'edit');
  const early = remembers && changes.length > 0 ? EARLY : [];
  const task = hashOf(`${seed} ${calls}`).slice(0, 6);
  return (prompt) => {
    const summary = summaryAnswer(prompt);
    if (summary) return summary;
    const { step, asked, unanswered } = progress(prompt, task);
    if (unanswered.length > 0) return { text: `Stand-in, no model: there is no result for ${unanswered.join(', ')}.` };
    const planned = step < 0 ? [] : todo(steps[step], step, task);
    const last = planned.findLastIndex(({ id }) => asked.has(id));
    // An interrupted answer has lost its last calls: repeat those. Earlier ones were folded away.
    const rest = last < 0 ? [] : planned.slice(last + 1);
    if (rest.length > 0) return say(rest, step, steps.length, prompt, early);
    const next = step + 1;
    if (prompt.results.length > 0 && isPause(steps, step, calls_per_answer))
      return { text: `Stand-in, no model: enough for now, after step ${next} of ${steps.length}.` };
    const wanted = todo(steps[next], next, task);
    if (wanted.length > 0) return say(wanted, next, steps.length, prompt, early);
    const ended = prompt.results.some(({ id }) => id.startsWith(`end_${task}`));
    const done = changes.filter((edit) => isDone(folder, edit));
    // Asked again after it has ended, it has nothing left to do.
    const ends = prompt.messages.flatMap(({ calls }) => calls).filter(({ id }) => id.startsWith(`end_${task}`));
    const memory = ends.length > 0 || !remembers ? undefined : memoryCheck(prompt, done, task);
    if (memory?.calls) return memory;
    const shown = memory?.text ? `\n${memory.text}` : '';
    if (!ended && prompt.tools.some(({ name }) => name === 'task_complete')) {
      const summary = `Stand-in, no model: all ${calls} calls were answered.${shown}`;
      return { calls: [{ id: `end_${task}_${ends.length}`, name: 'task_complete', input: { summary } }] };
    }
    return {
      text: `Stand-in, no model: done, all ${calls} calls were answered.${shown}${completion && `\n${completion}`}`,
    };
  };
}

/** True if the task pauses after this step. */
function isPause(steps: readonly (readonly Intent[])[], step: number, calls: number): boolean {
  const made = (count: number) => steps.slice(0, count).reduce((sum, intents) => sum + intents.length, 0);
  return step >= 0 && Math.floor(made(step + 1) / calls) > Math.floor(made(step) / calls);
}

interface Todo {
  readonly id: string;
  readonly intent: Intent;
}

function todo(intents: readonly Intent[] | undefined, step: number, task: string): Todo[] {
  return (intents ?? []).map((intent, at) => ({ id: `step_${step}_${at}_${task}`, intent }));
}

function say(
  wanted: readonly Todo[],
  step: number,
  steps: number,
  { tools }: Prompt,
  early: readonly string[],
): Answer {
  const what = wanted
    .map(({ intent }) => ('path' in intent ? `${intent.kind} ${intent.path}` : intent.kind))
    .join(', ');
  return {
    text: [...early.slice(step, step + 1), `Step ${step + 1} of ${steps}: ${what}.`].join('\n'),
    thinking: `Step ${step + 1} of ${steps}. What is left: ${steps - step} steps. Now: ${what}.`,
    calls: wanted.map(({ id, intent }) => ({ id, ...callFor(intent, tools) })),
  };
}

/** The last step, from call ids or, if all of these are folded away, from its own text; -1 if none. */
function progress({ messages, results }: Prompt, task: string) {
  const pattern = new RegExp(`^step_(\\d+)_\\d+_${task}$`);
  const stepOf = (id: string) => Number(pattern.exec(id)?.[1] ?? -1);
  let step = -1;
  for (const { role, text, calls, results: given } of messages) {
    for (const { id } of [...calls, ...given]) step = Math.max(step, stepOf(id));
    if (role === 'assistant')
      for (const [, said] of text.matchAll(/\bStep (\d+) of \d+:/g)) step = Math.max(step, Number(said) - 1);
  }
  const latest = messages.findLast(({ role }) => role === 'assistant')?.calls ?? [];
  const answered = new Set(results.map(({ id }) => id));
  const asked = new Set(messages.flatMap(({ calls }) => calls.map(({ id }) => id)).filter((id) => stepOf(id) === step));
  return { step, asked, unanswered: latest.map(({ id }) => id).filter((id) => !answered.has(id)) };
}
