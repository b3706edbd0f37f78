import { tokens } from '../parts/format.ts';
import { labelsFor } from './labels.ts';
import { type Scale, scaleOf } from './scale.ts';
import { Sign, SignLegend } from './signs.tsx';

/** A policy at a budget: what it cost, as a multiple of sending everything, and the percentage it kept. */
export interface Choice {
  readonly policy: string;
  readonly budget: number;
  readonly cost: number;
  readonly kept: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface FrontierProps {
  readonly title: string;
  readonly about: string;
  readonly choices: readonly Choice[];
  /** The percentage wanted. */
  readonly aim?: number;
  readonly chosen?: Choice | undefined;
  readonly onPick: (choice: Choice) => void;
}

const [WIDTH, HEIGHT] = [560, 320];
const [LEFT, RIGHT, TOP, BOTTOM] = [48, 26, 16, 44];
const INSIDE = { left: LEFT, right: WIDTH - 2, top: TOP - 12, bottom: HEIGHT - BOTTOM };
const DOTS = 4;

/** Cost against what was kept: a point for each choice, joined by policy, with the line of the best. */
export function Frontier({ title, about, choices, aim, chosen, onPick }: FrontierProps) {
  const names = [...new Set(choices.map(({ policy }) => policy))];
  const low = Math.min(...choices.map(({ kept }) => kept), aim ?? 95);
  const costs = choices.map(({ cost }) => cost);
  const x = scaleOf(Math.min(...costs), Math.max(...costs), LEFT, WIDTH - RIGHT);
  const y = scaleOf(Math.max(0, low), 100, HEIGHT - BOTTOM, TOP);
  const place = ({ cost, kept }: Choice): Point => ({ x: x(cost), y: y(kept) });
  const joined = names.map((name) => byBudget(choices, name).map(place));
  const wanted = aim === undefined || aim < low ? [] : [LEFT, WIDTH - RIGHT].map((at) => ({ x: at, y: y(aim) }));
  const front = best(choices).map(place);
  const labels = labelsFor(
    choices.map((choice) => ({ text: tokens(choice.budget), ...place(choice) })),
    { lines: [...joined, wanted].flatMap(dotsOf), inside: INSIDE },
  );
  return (
    <figure class="card">
      <figcaption>
        <h3>{title}</h3>
        <p class="soft small">{about}</p>
      </figcaption>
      <SignLegend
        names={names}
        lines={{
          ...(wanted.length > 0 ? { budget: `goal: ${aim}%` } : {}),
          ...(front.length > 1 ? { best: 'best for its cost' } : {}),
        }}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: an SVG cannot be a fieldset */}
      <svg
        class="scatter"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="group"
        aria-label={`${title}: ${about}${wanted.length > 0 ? ` The goal is ${aim}%.` : ''}`}
        onKeyDown={step}
      >
        <Axes x={x} y={y} />
        {wanted.length > 0 && <path class="aim" d={lineOf(wanted)} />}
        <path class="best" d={stepsOf(front)} />
        {joined.map((line, at) => (
          <path class={`join c${at % 6}`} d={lineOf(line)} key={names[at]} />
        ))}
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group without focus; the points say their budgets */}
        <g aria-hidden="true">
          {labels.map(
            (label, at) =>
              label && (
                <text class="label" x={label.x} y={label.y} key={keyOf(choices[at])}>
                  {label.text}
                </text>
              ),
          )}
        </g>
        {choices.map((choice) => {
          const said = `${choice.policy} at ${tokens(choice.budget)}: ${shareOf(choice.cost)} of the cost of sending everything, kept ${choice.kept.toFixed(1)}%`;
          const isChosen = choice.policy === chosen?.policy && choice.budget === chosen.budget;
          return (
            // biome-ignore lint/a11y/useSemanticElements: a point of an SVG cannot be a button
            <g
              class="point"
              role="button"
              tabindex={0}
              aria-label={said}
              aria-pressed={isChosen}
              key={said}
              onClick={() => onPick(choice)}
            >
              <title>{said}</title>
              {isChosen && <circle class="ring" cx={x(choice.cost)} cy={y(choice.kept)} r={11} />}
              <Sign at={names.indexOf(choice.policy)} {...place(choice)} />
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

const shareOf = (cost: number) => `${Number((100 * cost).toFixed(1))}%`;
const keyOf = (choice: Choice | undefined) => `${choice?.policy} ${choice?.budget}`;

function Axes({ x, y }: { readonly x: Scale; readonly y: Scale }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group without focus
    <g aria-hidden="true">
      {y.ticks.map((tick) => (
        <g key={tick}>
          <path class="grid" d={`M${LEFT} ${y(tick)}H${WIDTH - RIGHT}`} />
          <text class="tick end" x={LEFT - 6} y={y(tick) + 4}>
            {tick}%
          </text>
        </g>
      ))}
      {x.ticks.map((tick, at) => (
        <g key={tick}>
          <path class="grid" d={`M${x(tick)} ${TOP}V${HEIGHT - BOTTOM}`} />
          <text class={at === 0 ? 'tick' : 'tick middle'} x={x(tick)} y={HEIGHT - BOTTOM + 18}>
            {shareOf(tick)}
          </text>
        </g>
      ))}
      <text class="name middle" x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 6}>
        cost, in percent of sending everything
      </text>
    </g>
  );
}

/** Arrow keys move between points; Enter and space choose one. */
function step(event: KeyboardEvent): void {
  const point = (event.target as Element).closest<SVGGElement>('.point');
  if (!point) return;
  const points = [...(point.parentElement?.querySelectorAll<SVGGElement>('.point') ?? [])];
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (by !== undefined) points[(points.indexOf(point) + by + points.length) % points.length]?.focus();
  else if (event.key === 'Enter' || event.key === ' ') point.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  else return;
  event.preventDefault();
}

/** The choices that no other beats in both cost and what was kept. */
function best(choices: readonly Choice[]): Choice[] {
  let most = Number.NEGATIVE_INFINITY;
  return [...choices]
    .sort((a, b) => a.cost - b.cost || b.kept - a.kept)
    .filter(({ kept }) => {
      const isBetter = kept > most;
      most = Math.max(most, kept);
      return isBetter;
    });
}

function byBudget(choices: readonly Choice[], policy: string): Choice[] {
  return choices.filter((choice) => choice.policy === policy).sort((a, b) => a.budget - b.budget);
}

function lineOf(places: readonly Point[]): string {
  return places.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('');
}

function stepsOf(places: readonly Point[]): string {
  return places.map(({ x, y }, at) => (at === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('');
}

/** Dots along a line, too close for a label to fit between two. */
function dotsOf(places: readonly Point[]): Point[] {
  return places.flatMap((from, at) => {
    const to = places[at + 1] ?? from;
    const count = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / DOTS);
    return Array.from({ length: count }, (_, n) => ({
      x: from.x + ((to.x - from.x) * n) / count,
      y: from.y + ((to.y - from.y) * n) / count,
    }));
  });
}
