import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { tokens } from '../parts/format.ts';
import { areaOf, type Box, pathOf } from './path.ts';
import { type Scale, scaleOf } from './scale.ts';

/** A line over the x values. Colours are names of design tokens. */
export interface Line {
  readonly name: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly fill?: string;
  readonly dash?: boolean;
  readonly width?: number;
}

/** A fold, or a call that lacked something. */
export interface Mark {
  readonly x: number;
  readonly y: number;
  readonly shape: keyof typeof SIGNS;
}

/** One path for all marks of a shape: hundreds are no more work than one. */
const SIGNS = {
  fold: (x: number, y: number) => `M${x} ${y - 1}l5-9h-10Z`,
  lacking: (x: number, y: number) => `M${x - 2.5} ${y}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0Z`,
};

interface PlotProps {
  /** What the chart says, for those who cannot see it. */
  readonly label: string;
  /** Ascending. */
  readonly x: readonly number[];
  readonly lines: readonly Line[];
  readonly marks?: readonly Mark[];
  readonly height?: number;
  /** The x value with a line through it. */
  readonly at?: number | undefined;
  readonly text?: (value: number) => string;
  /** Describes the values under the pointer, else at the line or at the end, by index. */
  readonly tip?: (index: number) => string;
  readonly onPick?: (index: number) => void;
}

const EDGE = { left: 50, right: 10, top: 14, bottom: 24 };

/** Lines in SVG that follow the width of their place. Thousands of points are drawn as what a pixel can show of them. */
export function Plot({ label, x, lines, marks = [], height = 220, at, text = tokens, tip, onPick }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const [hovered, setHovered] = useState<number | undefined>();
  const box: Box = { left: EDGE.left, right: width - EDGE.right, top: EDGE.top, bottom: height - EDGE.bottom };
  const most = useMemo(() => lines.reduce((top, { values }) => Math.max(top, highest(values)), 1e-9), [lines]);
  const toX = scaleBetween(x[0] ?? 0, x.at(-1) ?? 1, box.left, box.right);
  const toY = scaleOf(0, most, box.bottom, box.top, height < 190 ? 3 : 4);
  const indexAt = (event: MouseEvent) => {
    const left = place.current?.getBoundingClientRect().left ?? 0;
    return nearest(x, toX.back(event.clientX - left));
  };
  const shown = hovered !== undefined && hovered < x.length ? hovered : undefined;
  return (
    <div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the slider of calls does the same for the keyboard */}
      <div
        class={onPick ? 'plot picks' : 'plot'}
        ref={place}
        role="img"
        aria-label={label}
        onPointerMove={(event) => setHovered(indexAt(event))}
        onPointerLeave={() => setHovered(undefined)}
        onClick={(event) => onPick?.(indexAt(event))}
      >
        <svg width={width} height={height} aria-hidden="true">
          <Grid box={box} toX={toX} toY={toY} first={x[0] ?? 0} last={x.at(-1) ?? 1} text={text} />
          {lines.map((line) => (
            <Drawn line={line} x={x} toX={toX} toY={toY} box={box} key={line.name} />
          ))}
          {Object.entries(SIGNS).map(([shape, sign]) => (
            <path
              class={shape}
              d={marks.map((mark) => (mark.shape === shape ? sign(toX(mark.x), toY(mark.y)) : '')).join('')}
              key={shape}
            />
          ))}
          {at !== undefined && <path class="at" d={`M${toX(at)} ${box.top - 8}V${box.bottom}`} />}
          {shown !== undefined && <path class="hover" d={`M${toX(x[shown] ?? 0)} ${box.top}V${box.bottom}`} />}
        </svg>
      </div>
      {tip && (
        <p class="tipline" aria-hidden="true">
          {x.length > 0 && tip(shown ?? nearest(x, at ?? Number.POSITIVE_INFINITY))}
        </p>
      )}
    </div>
  );
}

interface DrawnProps {
  readonly line: Line;
  readonly x: readonly number[];
  readonly toX: (value: number) => number;
  readonly toY: (value: number) => number;
  readonly box: Box;
}

function Drawn({ line: { values, colour, fill, dash, width = 2 }, x, toX, toY, box }: DrawnProps) {
  // Moving the pointer redraws the chart, but the points stay the same.
  const path = useMemo(
    () =>
      pathOf(
        x.map(toX),
        values.map((value) => (value === null ? null : toY(value))),
      ),
    [values, x, toY(1), box.right, box.bottom],
  );
  const stroke = `var(--${colour})`;
  return (
    <>
      {fill && <path d={areaOf(path, box.bottom)} fill={`var(--${fill})`} />}
      {width > 0 && (
        <path d={path.d} fill="none" stroke={stroke} stroke-width={width} stroke-dasharray={dash ? '6 4' : undefined} />
      )}
    </>
  );
}

interface GridProps {
  readonly box: Box;
  readonly toX: (value: number) => number;
  readonly toY: Scale;
  readonly first: number;
  readonly last: number;
  readonly text: (value: number) => string;
}

function Grid({ box, toX, toY, first, last, text }: GridProps) {
  const steps = Math.max(2, Math.floor((box.right - box.left) / 90));
  const across = scaleOf(first, last, 0, 1, steps).ticks.filter(
    (tick) => tick >= first && tick <= last && tick % 1 === 0,
  );
  return (
    <g class="axes">
      {toY.ticks.map((tick) => (
        <g key={tick}>
          <path class="grid" d={`M${box.left} ${toY(tick)}H${box.right}`} />
          <text class="end" x={box.left - 6} y={toY(tick) + 4}>
            {text(tick)}
          </text>
        </g>
      ))}
      <text class="end" x={box.left - 6} y={box.bottom + 17}>
        call
      </text>
      {across.map((tick) => (
        <text class="middle" x={toX(tick)} y={box.bottom + 17} key={tick}>
          {tick}
        </text>
      ))}
    </g>
  );
}

function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  // Before the first picture, which would otherwise be wider than a narrow screen.
  useLayoutEffect(() => {
    const box = place.current;
    if (!box) return;
    const measure = () => void (box.clientWidth > 0 && setWidth(box.clientWidth));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    return () => watch.disconnect();
  }, [place]);
  return width;
}

function scaleBetween(low: number, high: number, from: number, to: number) {
  const span = high - low || 1;
  const forward = (value: number) => Math.round((from + ((value - low) / span) * (to - from)) * 10) / 10;
  return Object.assign(forward, { back: (pixel: number) => low + ((pixel - from) / (to - from || 1)) * span });
}

function highest(values: readonly (number | null)[]): number {
  return values.reduce<number>((top, value) => Math.max(top, value ?? 0), 0);
}

/** The index of the value next to a number, in ascending values. */
function nearest(values: readonly number[], wanted: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  const before = values[low - 1];
  return before !== undefined && wanted - before < (values[low] ?? 0) - wanted ? low - 1 : low;
}
