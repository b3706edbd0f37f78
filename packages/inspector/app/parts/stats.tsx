import type { ComponentChildren } from 'preact';

/** One figure, its name and a line about it. */
export interface StatProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly more?: ComponentChildren;
  readonly tone?: 'good' | 'bad' | 'view' | 'fold' | undefined;
}

/** Figures side by side: the ones that answer a reader's first questions. */
export function Stats({ of, label }: { readonly of: readonly StatProps[]; readonly label: string }) {
  return (
    <section class="stats" aria-label={label}>
      {of.map(({ name, value, more, tone = '' }) => (
        <dl class={`stat ${tone}`} key={name}>
          <dt>{name}</dt>
          <dd class="value">{value}</dd>
          {more !== undefined && <dd class="more">{more}</dd>}
        </dl>
      ))}
    </section>
  );
}
