import { counted, tokens } from '../parts/format.ts';
import { type Mark, Plot } from './plot.tsx';

/** A fold on the chart. */
export interface FoldMark {
  /** The call that it preceded. */
  readonly call: number;
  readonly before: number;
  readonly after: number;
}

/** The history and the view over the calls of a conversation, in tokens. */
export interface Growth {
  readonly calls: readonly number[];
  readonly history: readonly (number | null)[];
  readonly view: readonly (number | null)[];
  readonly budget?: number | undefined;
  readonly folds: readonly FoldMark[];
  /** Calls that lacked something. */
  readonly lacking?: readonly number[];
}

interface GrowthProps {
  readonly of: Growth;
  readonly at?: number | undefined;
  readonly height?: number;
  readonly onPick?: (index: number) => void;
}

/** The picture that explains a window: the history grows, the view stays under its budget, folds are marked. */
export function GrowthChart({ of, at, height, onPick }: GrowthProps) {
  const { calls, history, view, budget, folds, lacking = [] } = of;
  const top = [...history, ...view].reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  // A budget far above everything else would flatten the lines.
  const isFar = budget !== undefined && budget > 1.6 * top;
  const hasHistory = history.some((value) => value !== null);
  const lines = [
    { name: 'history', colour: 'history', fill: 'history-tint', values: history, width: 1.5 },
    { name: 'view', colour: 'view', fill: 'view-tint', values: view, width: 2 },
    ...(budget === undefined || isFar
      ? []
      : [{ name: 'budget', colour: 'budget', values: calls.map(() => budget), dash: true, width: 1.5 }]),
  ];
  const marks: Mark[] = [
    ...folds.map(({ call, before }) => ({ x: call, y: before, shape: 'fold' as const })),
    ...lacking.map((call) => ({ x: call, y: 0, shape: 'lacking' as const })),
  ];
  const tip = (index: number) => {
    const fold = folds.find(({ call }) => call === calls[index]);
    const folded = fold ? `, folded from ${tokens(fold.before)} to ${tokens(fold.after)}` : '';
    const whole = hasHistory ? `history ${shown(history[index])}, ` : '';
    return `call ${calls[index]}: ${whole}view ${shown(view[index])}${folded}`;
  };
  return (
    <div class="stack">
      <Legend
        hasHistory={hasHistory}
        budget={
          budget === undefined ? '' : isFar ? `budget ${tokens(budget)}, above the chart` : `budget ${tokens(budget)}`
        }
        hasFolds={folds.length > 0}
        hasLacking={lacking.length > 0}
      />
      <Plot
        label={labelOf(of)}
        x={calls}
        lines={lines}
        marks={marks}
        at={at}
        tip={tip}
        {...(height === undefined ? {} : { height })}
        {...(onPick ? { onPick } : {})}
      />
    </div>
  );
}

interface LegendProps {
  readonly hasHistory: boolean;
  readonly budget: string;
  readonly hasFolds: boolean;
  readonly hasLacking: boolean;
}

function Legend({ hasHistory, budget, hasFolds, hasLacking }: LegendProps) {
  const parts = [
    ...(hasHistory ? [['history', 'whole history']] : []),
    ['view', 'what the model sees'],
    ...(budget === '' ? [] : [['budget', budget]]),
    ...(hasFolds ? [['fold', 'fold']] : []),
    ...(hasLacking ? [['missing', 'a call that lacked something']] : []),
  ];
  return (
    <ul class="legend" aria-hidden="true">
      {parts.map(([name, text]) => (
        <li key={name}>
          <span class={`swatch ${name}`} />
          {text}
        </li>
      ))}
    </ul>
  );
}

/** The chart in a sentence. Pure. */
function labelOf({ calls, history, view, budget, folds }: Growth): string {
  const most = (all: readonly (number | null)[]) =>
    tokens(all.reduce<number>((top, one) => Math.max(top, one ?? 0), 0));
  const limit = budget === undefined ? '' : `, with a budget of ${tokens(budget)}`;
  const grew = history.some((value) => value !== null) ? `the history grew to ${most(history)} tokens and ` : '';
  return `Over ${counted(calls.at(-1) ?? 0, 'call')} ${grew}the view stayed at or below ${most(view)}${limit}. ${counted(folds.length, 'fold')}.`;
}

function shown(value: number | null | undefined): string {
  return value === null || value === undefined ? 'unknown' : tokens(value);
}
