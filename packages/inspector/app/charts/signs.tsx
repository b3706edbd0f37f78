const SHAPES: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `M${x - 6} ${y}a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z`,
  (x, y) => `M${x - 5} ${y - 5}h10v10h-10Z`,
  (x, y) => `M${x} ${y - 7}l7 12h-14Z`,
  (x, y) => `M${x} ${y - 7}l7 7l-7 7l-7-7Z`,
  (x, y) => `M${x} ${y + 7}l7-12h-14Z`,
  (x, y) => `M${x - 2} ${y - 6}h4v4h4v4h-4v4h-4v-4h-4v-4h4Z`,
];

/** The symbol of a policy, by its index: shape and colour both identify it. */
export function Sign({ at, x, y }: { readonly at: number; readonly x: number; readonly y: number }) {
  const hollow = at >= SHAPES.length ? ' hollow' : '';
  return <path class={`sign c${at % SHAPES.length}${hollow}`} d={SHAPES[at % SHAPES.length]?.(x, y) ?? ''} />;
}

/** The names of the symbols, and of lines by the class of their swatch. */
export function SignLegend({
  names,
  lines,
}: {
  readonly names: readonly string[];
  readonly lines: Readonly<Record<string, string>>;
}) {
  return (
    <ul class="legend" aria-hidden="true">
      {names.map((name, at) => (
        <li key={name}>
          <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <Sign at={at} x={8} y={8} />
          </svg>
          {name}
        </li>
      ))}
      {Object.entries(lines).map(([swatch, name]) => (
        <li key={swatch}>
          <span class={`swatch ${swatch}`} />
          {name}
        </li>
      ))}
    </ul>
  );
}
