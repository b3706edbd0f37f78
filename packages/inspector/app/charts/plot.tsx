import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { tokens } from '../parts/format.ts';
import { colour, useTheme } from '../shell/theme.ts';

/** A line, or bars, over the x values. Colours are names of design tokens. */
export interface Line {
  readonly name: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly fill?: string;
  readonly dash?: boolean;
  readonly bars?: boolean;
  readonly width?: number;
}

/** A symbol at an x value: a fold, or a call that lacked something. */
export interface Mark {
  readonly x: number;
  readonly y: number;
  readonly colour: string;
  readonly shape: 'triangle' | 'dot';
}

interface PlotProps {
  /** What the chart says, for those who cannot see it. */
  readonly label: string;
  readonly x: readonly number[];
  readonly lines: readonly Line[];
  readonly marks?: readonly Mark[];
  readonly height?: number;
  /** The x value with a line through it. */
  readonly at?: number | undefined;
  readonly text?: (value: number) => string;
  /** Describes the values under the pointer, by index. */
  readonly tip?: (index: number) => string;
  readonly onPick?: (index: number) => void;
}

/** A chart on a canvas that follows its container's width and the theme. */
export function Plot(props: PlotProps) {
  const { label, x, lines, tip } = props;
  const theme = useTheme();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [hovered, setHovered] = useState<number | undefined>();
  const shape = lines.map(({ name }) => name).join();

  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const made = new uPlot(optionsFor(latest, box.clientWidth, setHovered), dataOf(latest.current), box);
    chart.current = made;
    const watch = new ResizeObserver(() => {
      const width = box.clientWidth;
      if (width > 0 && width !== made.width) made.setSize({ width, height: made.height });
    });
    watch.observe(box);
    const pick = () => {
      const index = made.cursor.idx;
      if (index !== null && index !== undefined) latest.current.onPick?.(index);
    };
    made.over.addEventListener('click', pick);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [theme, shape]);
  useEffect(() => chart.current?.setData(dataOf(latest.current)), [x, lines]);
  useEffect(() => chart.current?.redraw(false), [props.at, props.marks]);

  return (
    <div>
      <div class="plot" ref={place} role="img" aria-label={label} />
      {tip && (
        <p class="tipline" aria-hidden="true">
          {hovered === undefined || hovered >= x.length ? '' : tip(hovered)}
        </p>
      )}
    </div>
  );
}

function dataOf({ x, lines }: PlotProps): uPlot.AlignedData {
  return [x as number[], ...lines.map(({ values }) => values as (number | null)[])];
}

function optionsFor(
  latest: { readonly current: PlotProps },
  width: number,
  onHover: (index: number | undefined) => void,
): uPlot.Options {
  const { lines, height = 220, text = tokens, onPick } = latest.current;
  const axis = { stroke: colour('soft'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
  return {
    width: Math.max(width, 50),
    height,
    padding: [14, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(most, 1) * 1.04] } },
    axes: [
      { ...axis, space: 60, size: 28, font: '12px system-ui' },
      { ...axis, size: 52, font: '12px system-ui', values: (_, all) => all.map((value) => text(value)) },
    ],
    series: [{}, ...lines.map(seriesOf)],
    hooks: {
      draw: [(chart) => drawMarks(chart, latest.current)],
      setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)],
      ready: [({ over }) => over.classList.toggle('picks', onPick !== undefined)],
    },
  };
}

function seriesOf({ colour: name, fill, dash, bars, width = 2 }: Line): uPlot.Series {
  const paths = bars ? uPlot.paths.bars?.({ size: [0.9, 12] }) : undefined;
  return {
    stroke: colour(name),
    width: bars ? 0 : width,
    points: { show: false },
    ...(fill ? { fill: colour(fill) } : bars ? { fill: colour(name) } : {}),
    ...(dash ? { dash: [6, 4] } : {}),
    ...(paths ? { paths } : {}),
  };
}

function drawMarks(chart: uPlot, { marks = [], at }: PlotProps): void {
  const { ctx, bbox } = chart;
  const unit = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
  if (at !== undefined) {
    const x = Math.round(chart.valToPos(at, 'x', true));
    ctx.strokeStyle = colour('ink');
    ctx.lineWidth = 1.5 * unit;
    ctx.beginPath();
    ctx.moveTo(x, 0);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  for (const mark of marks) {
    const x = chart.valToPos(mark.x, 'x', true);
    const y = chart.valToPos(mark.y, 'y', true);
    ctx.fillStyle = colour(mark.colour);
    ctx.beginPath();
    if (mark.shape === 'dot') ctx.arc(x, y, 2.5 * unit, 0, 7);
    else {
      ctx.moveTo(x, y - 1 * unit);
      ctx.lineTo(x + 5 * unit, y - 10 * unit);
      ctx.lineTo(x - 5 * unit, y - 10 * unit);
    }
    ctx.fill();
  }
  ctx.restore();
}
