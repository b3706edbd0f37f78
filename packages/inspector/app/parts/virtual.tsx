import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { offsetsOf, rowAt } from './offsets.ts';

interface VirtualProps {
  readonly label: string;
  readonly count: number;
  /** Identifies a row; its measured height is stored under this key. */
  readonly keyOf: (index: number) => string | number;
  /** A height before it is measured. */
  readonly estimate: (index: number) => number;
  readonly render: (index: number) => ComponentChildren;
  /** Called with the rows on show. */
  readonly onRange?: (from: number, to: number) => void;
  /** A row to scroll to and focus; a new object does it again. */
  readonly target?: { readonly row: number } | undefined;
}

const OVERSCAN = 600;
const TRIES = 12;

/** A list of any length that scrolls with the page: only rows near the screen exist. */
export function Virtual({ label, count, keyOf, estimate, render, onRange, target }: VirtualProps) {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string | number, number>());
  const [measured, setMeasured] = useState(0);
  const [range, setRange] = useState({ from: 0, to: 12 });
  const offsets = useMemo(
    () => offsetsOf(count, (index) => heights.current.get(keyOf(index)) ?? estimate(index)),
    [count, keyOf, estimate, measured],
  );
  const latest = useRef(offsets);
  latest.current = offsets;

  const look = useCallback(() => {
    const top = -(box.current?.getBoundingClientRect().top ?? 0);
    const from = rowAt(latest.current, Math.max(0, top - OVERSCAN));
    const to = rowAt(latest.current, Math.max(0, top + innerHeight + OVERSCAN)) + 1;
    setRange((before) => (before.from === from && before.to === to ? before : { from, to }));
  }, []);
  useEffect(() => {
    let waiting = 0;
    const soon = () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(look);
    };
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(waiting);
      removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
    };
  }, [look]);
  useLayoutEffect(look, [offsets]);

  const watch = useRowWatch((row, height) => {
    if (heights.current.get(keyOf(row)) === height) return false;
    heights.current.set(keyOf(row), height);
    return true;
  }, setMeasured);
  const from = Math.min(range.from, count);
  const to = Math.min(range.to, count);
  useEffect(() => onRange?.(from, to), [from, to, onRange]);
  useJump(target, box, latest);

  const rows = [];
  for (let index = from; index < to; index++)
    rows.push(
      <div data-row={index} key={keyOf(index)} ref={watch}>
        {render(index)}
      </div>,
    );
  return (
    <div class="virtual" ref={box} role="feed" aria-label={label} aria-busy="false">
      <Gap height={offsets[from] ?? 0} />
      {rows}
      <Gap height={(offsets[count] ?? 0) - (offsets[to] ?? 0)} />
    </div>
  );
}

/** Room for rows that do not exist. The height is set by script, because the policy forbids style attributes. */
function Gap({ height }: { readonly height: number }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.style.height = `${height}px`;
  }, [height]);
  return <div ref={box} aria-hidden="true" />;
}

/** Observes rows. `learn`: takes a row's height, and returns true if it is new. */
function useRowWatch(
  learn: (row: number, height: number) => boolean,
  count: (next: (before: number) => number) => void,
): (row: HTMLElement | null) => void {
  const latest = useRef(learn);
  latest.current = learn;
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        const rows = entries.map(({ target }) => target as HTMLElement).filter(({ isConnected }) => isConnected);
        const isNew = rows.map(({ dataset, offsetHeight }) => latest.current(Number(dataset.row), offsetHeight));
        if (isNew.includes(true)) count((before) => before + 1);
      }),
    [count],
  );
  useEffect(() => () => observer.disconnect(), [observer]);
  return useCallback((row: HTMLElement | null) => row && observer.observe(row), [observer]);
}

/** Scrolls to a row; heights on the way are estimates, so it looks again until the row stays in place. */
function useJump(
  target: { readonly row: number } | undefined,
  box: { readonly current: HTMLElement | null },
  offsets: { readonly current: Float64Array },
): void {
  useEffect(() => {
    if (!target || !box.current) return;
    let [waiting, tries] = [0, 0];
    const step = () => {
      const start = (box.current?.getBoundingClientRect().top ?? 0) + scrollY;
      const row = box.current?.querySelector<HTMLElement>(`[data-row="${target.row}"]`);
      const place = row ? row.getBoundingClientRect().top + scrollY : start + (offsets.current[target.row] ?? 0);
      scrollTo({ top: place - Math.min(160, innerHeight / 4), behavior: 'instant' });
      if (++tries < TRIES) waiting = requestAnimationFrame(step);
      else row?.querySelector<HTMLElement>('[tabindex], a, button')?.focus({ preventScroll: true });
    };
    step();
    return () => cancelAnimationFrame(waiting);
  }, [target, box, offsets]);
}
