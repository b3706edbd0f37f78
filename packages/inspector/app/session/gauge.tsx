import { useMemo, useState } from 'preact/hooks';
import type { CallList } from '../../src/api/types.ts';
import { FillChart } from '../charts/fills.tsx';
import { GrowthChart } from '../charts/growth.tsx';
import { Plot } from '../charts/plot.tsx';
import { counted, money, tokens } from '../parts/format.ts';
import { href } from '../shell/route.ts';

interface GaugeProps {
  readonly id: string;
  /** True if each call stands for all requests for one message of the user. */
  readonly isCrew: boolean;
  readonly list: CallList;
  /** The call on show. */
  readonly at: number;
  readonly onCall: (call: number) => void;
}

/** The session over time: history against view and budget with its folds, the cache, and the cost compared with sending everything. */
export function Gauge({ id, isCrew, list, at, onCall }: GaugeProps) {
  const { calls, folds } = list;
  const { budget, budgetMessages = 0 } = calls.findLast((call) => call.budget ?? call.budgetMessages) ?? {};
  const growth = useMemo(
    () => ({
      calls: calls.map(({ call }) => call),
      history: calls.map(({ historyTokens }) => historyTokens ?? null),
      view: calls.map(({ viewTokens }) => viewTokens),
      // A share of the model's window that no view comes near, if messages are what is bounded.
      budget: budgetMessages > 0 && folds.some(({ reason }) => reason === 'messages') ? undefined : budget,
      folds: folds.flatMap(({ call, before, after, undone }) =>
        call === undefined || undone ? [] : [{ call, before: before.tokens, after: after.tokens }],
      ),
    }),
    [calls, folds, budget, budgetMessages],
  );
  const isKnown = growth.history.some((value) => value !== null);
  // As high as the charts next to it, with what is below.
  const height = isNarrow() ? 220 : folds.length > 0 && folds.length <= FEW_FOLDS ? 340 : 440;
  const [isOpen, setOpen] = useState(!isNarrow());
  const pick = (index: number) => onCall(calls[index]?.call ?? 1);
  // One call does not make a line: the figures above say it all.
  if (calls.length < 2)
    return folds.length === 0 ? null : (
      <section class="card" aria-label="Over time">
        <FoldLinks id={id} list={list} />
      </section>
    );
  return (
    <section class="gauges" aria-label="Over time">
      <figure class="card">
        <figcaption>
          <h2>{isCrew ? 'What the agents were sent' : isKnown ? 'History against view' : 'What the model sees'}</h2>
          <p class="soft small">
            {isCrew ? 'Tokens of all requests for each message of the user' : 'Tokens at each call'}; click to go there.
            {isKnown || isCrew ? '' : ' The size of the whole history was not stored.'}
            {budgetMessages > 0 && ` The view has at most ${counted(budgetMessages, 'message')}.`}
          </p>
        </figcaption>
        <GrowthChart of={growth} at={at} height={height} onPick={pick} />
        {folds.length > 0 && <FoldLinks id={id} list={list} />}
      </figure>
      <details class="more-charts" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Cost and cache over time</summary>
        <CostChart list={list} at={at} pick={pick} />
        <CacheChart list={list} at={at} />
      </details>
    </section>
  );
}

const FEW_FOLDS = 12;

/** On a phone, the history must not be far below: what is not asked first starts closed. */
const isNarrow = () => matchMedia('(max-width: 760px)').matches;

function FoldLinks({ id, list: { folds } }: Pick<GaugeProps, 'id' | 'list'>) {
  const [isOpen, setOpen] = useState(folds.length <= FEW_FOLDS && !isNarrow());
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Folds ({folds.length})</summary>
      <ul class="fold-links">
        {(isOpen ? folds.toReversed() : []).map(({ fold, call, before, after, undone }) => (
          <li key={fold}>
            <a href={href(['s', id, 'fold', fold])}>Fold {fold}</a>
            <span class="soft small nums">
              {call === undefined ? '' : `before call ${call}, `}
              {tokens(before.tokens)} → {tokens(after.tokens)}
              {undone ? ', undone' : ''}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function CostChart({
  list: { calls },
  at,
  pick,
}: Pick<GaugeProps, 'list' | 'at'> & { readonly pick: (index: number) => void }) {
  const { x, lines } = useMemo(() => {
    const spent = calls.map(({ costs }) => costs.spent ?? null);
    const everything = calls.map(({ costs }) => costs.everything ?? null);
    const hasAll = typeof everything.at(-1) === 'number';
    const first = { name: 'sending everything', colour: 'history', values: everything, width: 1.5 };
    const second = { name: 'spent', colour: 'c3', fill: 'sunken', values: spent, width: 2 };
    return { x: calls.map(({ call }) => call), lines: hasAll ? [first, second] : [second] };
  }, [calls]);
  const last = lines.at(-1)?.values.findLast((value) => value !== null) ?? null;
  if (last === null)
    return <p class="card soft">The price of this model is not known, so there is no cost over time.</p>;
  const tip = (index: number) =>
    `call ${x[index]}: ${lines
      .toReversed()
      .map(({ name, values }) => `${name} ${values[index] === null ? '?' : money(values[index] ?? 0)}`)
      .join(', ')}`;
  return (
    <figure class="card">
      <figcaption>
        <h2>Cost so far</h2>
        <p class="soft small">Dollars, added up call by call.</p>
      </figcaption>
      <ul class="legend" aria-hidden="true">
        <li>
          <span class="swatch cost" />
          spent
        </li>
        {lines.length > 1 && (
          <li>
            <span class="swatch everything" />
            sending everything
          </li>
        )}
      </ul>
      <Plot
        label={`Cost so far: ${money(last)} spent`}
        x={x}
        lines={lines}
        at={at}
        tip={tip}
        text={money}
        height={170}
        onPick={pick}
      />
    </figure>
  );
}

function CacheChart({ list: { calls }, at }: Pick<GaugeProps, 'list' | 'at'>) {
  const fills = useMemo(
    () => [
      { name: 'not cached', colour: 'c5', tokens: calls.map((call) => call.tokens.input) },
      { name: 'written to the cache', colour: 'c1', tokens: calls.map((call) => call.tokens.cacheWrite) },
      { name: 'read from the cache', colour: 'c0', tokens: calls.map((call) => call.tokens.cacheRead) },
    ],
    [calls],
  );
  const x = useMemo(() => calls.map(({ call }) => call), [calls]);
  return (
    <figure class="card">
      <figcaption>
        <h2>Cache</h2>
        <p class="soft small">Tokens of each prompt.</p>
      </figcaption>
      <FillChart calls={x} fills={fills} at={at} height={170} />
    </figure>
  );
}
