import type { AgentConfig } from '../config/config.ts';

/** A text in an answer that hands over, and to whom. */
export interface Signal {
  readonly signal: string;
  readonly to: string;
}

/** The signal that leads to an agent or a group where no other was chosen: `[ROUTE_DISK_CHECK]` for `disk-check`. Pure. */
export function routeTo(name: string): string {
  return `[ROUTE_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}]`;
}

/** The signals of an agent: its own, and one for each of its hand-offs that has none. Pure. */
export function signalsOf({ signals, hand_offs }: Pick<AgentConfig, 'signals' | 'hand_offs'>): Signal[] {
  const own = Object.entries(signals).map(([signal, to]) => ({ signal, to }));
  const rest = hand_offs.filter((to) => !own.some((one) => one.to === to));
  return [...own, ...rest.map((to) => ({ signal: routeTo(to), to }))];
}

/** The last of these signals in a text: models weigh one and the other before they decide. Pure. */
export function signalIn(text: string, signals: readonly Signal[]): Signal | undefined {
  const found = signals
    .map((one) => ({ one, at: text.lastIndexOf(one.signal) }))
    .filter(({ at }) => at >= 0)
    .map(({ one, at }) => ({ one, end: at + one.signal.length }))
    // One may stand in another: the whole of it is meant.
    .sort((a, b) => b.end - a.end || b.one.signal.length - a.one.signal.length);
  return found[0]?.one;
}
