import type { AgentConfig } from '../config/config.ts';

/** Text in an answer that hands over, and to whom. */
export interface Signal {
  readonly signal: string;
  readonly to: string;
}

/** The default signal for an agent or group: `[ROUTE_DISK_CHECK]` for `disk-check`. Pure. */
function routeTo(name: string): string {
  return `[ROUTE_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}]`;
}

/** The signals of an agent: its own, and the default one for each hand-off without its own. Pure. */
export function signalsOf({ signals, hand_offs }: Pick<AgentConfig, 'signals' | 'hand_offs'>): Signal[] {
  const own = Object.entries(signals).map(([signal, to]) => ({ signal, to }));
  const rest = hand_offs.filter((to) => !own.some((one) => one.to === to));
  return [...own, ...rest.map((to) => ({ signal: routeTo(to), to }))];
}

/** The last signal in a text, because models mention alternatives before they decide. Pure. */
export function signalIn(text: string, signals: readonly Signal[]): Signal | undefined {
  const found = signals
    .map((one) => ({ one, at: text.lastIndexOf(one.signal) }))
    .filter(({ at }) => at >= 0)
    .map(({ one, at }) => ({ one, end: at + one.signal.length }))
    // If one signal contains another, the longer one is meant.
    .sort((a, b) => b.end - a.end || b.one.signal.length - a.one.signal.length);
  return found[0]?.one;
}
