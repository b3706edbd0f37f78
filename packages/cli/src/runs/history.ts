import { readCommandText } from '@holdfast/agent/tools';
import { dialectFor, eachEntry, type SessionStore, type StoredEntry } from '@holdfast/sessions';
import type { Receipt } from 'holdfast';
import { callStep, type Step } from './steps.ts';

/** What a run cost so far, and what it would have cost with the full history in each request. */
export interface CostPoint {
  readonly time: number;
  readonly spent: number;
  readonly everything: number;
}

/** Everything that happened in a run, in order. */
export interface RunHistory {
  readonly steps: readonly Step[];
  readonly costs: readonly CostPoint[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the history of a run from its session. */
export async function readHistory(store: SessionStore, session: string): Promise<RunHistory> {
  const steps: Step[] = [];
  const costs: CostPoint[] = [];
  const open = new Map<string, number>();
  let dialect: string | undefined;
  const result = (time: number, id: string, text: string, failed: boolean) => {
    const at = open.get(id);
    const step = at === undefined ? undefined : steps[at];
    if (at === undefined || step?.type !== 'call' || step.output !== undefined) return;
    steps[at] = { ...step, output: text, failed: failed || readCommandText(text).failed, took: time - step.time };
  };
  for await (const { time, entry } of eachEntry(store, session) as AsyncIterable<StoredEntry>) {
    if (entry.type === 'model') dialect = entry.dialect;
    else if (entry.type === 'fold') steps.push(foldStep(time, entry.receipt));
    else if (entry.type === 'result') result(time, entry.id, entry.text, entry.failed);
    else if (entry.type === 'run') {
      for (const step of runSteps(time, entry.change)) addStep(steps, step);
      costs.push(...costOf(time, entry.change));
    } else if (entry.type === 'message') {
      const speaker = dialectFor(dialect, entry.message);
      const { role, calls, results } = speaker.read(entry.message);
      const text = speaker.text(entry.message).trim();
      for (const one of results) result(time, one.id, contentText(one.content), one.error);
      if (text !== '' && (role === 'assistant' || role === 'user')) steps.push({ type: role, time, text });
      for (const call of calls) {
        open.set(call.id, steps.length);
        steps.push(callStep(time, call));
      }
    }
  }
  if (wasStopped(steps.at(-2)) && steps.at(-1)?.type === 'iteration') steps.pop();
  return { steps, costs };
}

/** A run that stopped between two iterations has announced the next one, which begins only if the run is resumed. */
function addStep(steps: Step[], step: Step): void {
  const isBetween = wasStopped(step) && steps.at(-1)?.type === 'iteration';
  steps.splice(isBetween ? -1 : steps.length, 0, step);
}

function wasStopped(step: Step | undefined): boolean {
  return step?.type === 'end' && step.status === 'stopped';
}

function foldStep(time: number, receipt: Receipt): Step {
  return { type: 'fold', time, receipt };
}

/** Iterations, checks and the end, as the run saved them. */
function runSteps(time: number, { iteration, validation, status }: Fields): Step[] {
  const checks = Array.isArray(validation) ? (validation as Fields[]) : [];
  return [
    ...(typeof iteration === 'number' ? [{ type: 'iteration', time, iteration } as const] : []),
    ...checks.map(
      ({ command, passed, output }): Step => ({
        type: 'check',
        time,
        command: String(command),
        passed: passed === true,
        output: String(output ?? ''),
      }),
    ),
    ...(typeof status === 'string' && status !== 'running' ? [{ type: 'end', time, status } as const] : []),
  ];
}

function costOf(time: number, { totals }: Fields): CostPoint[] {
  const { cost } = (totals ?? {}) as {
    readonly cost?: { readonly spent: number; readonly everything?: number } | null;
  };
  return cost ? [{ time, spent: cost.spent, everything: cost.everything ?? cost.spent }] : [];
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content) ?? '';
  return content
    .map((block: unknown) => {
      const { text, type } = (block ?? {}) as { readonly text?: unknown; readonly type?: unknown };
      return typeof text === 'string' ? text : `[${String(type ?? 'data')}]`;
    })
    .join('\n');
}
