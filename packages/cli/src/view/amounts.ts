/** `640`, `18k`, `18.4k`, `1.2M`. Pure. */
export function tokens(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 999_500) return `${short(count / 1_000)}k`;
  return `${short(count / 1_000_000)}M`;
}

/** `18.4k/40k`, with a `~` while estimated; without a limit just the count. Pure. */
export function tokensOf(count: number, max: number, estimated: boolean): string {
  return `${estimated ? '~' : ''}${tokens(count)}${max > 0 ? `/${tokens(max)}` : ''}`;
}

/** Dollars with two digits, small amounts with more. Pure. */
export function money(dollars: number): string {
  const digits = dollars === 0 || Math.abs(dollars) >= 0.1 ? 2 : Math.abs(dollars) >= 0.001 ? 3 : 4;
  return `$${dollars.toFixed(digits)}`;
}

/** The difference of two amounts as displayed, so that it adds up; the exact one if they display alike. Pure. */
export function difference(more: number, less: number): string {
  const shown = Number(money(more).slice(1)) - Number(money(less).slice(1));
  return money(shown === 0 ? more - less : shown);
}

/** `line 4`, `lines 4 to 9`. Pure. */
export function linesPhrase({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? `line ${from}` : `lines ${from} to ${to}`;
}

/** `87%`; 100% and 0% only if exact. Pure. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  if (rounded === 100 && share < 1) return '99%';
  if (rounded === 0 && share > 0) return '<1%';
  return `${rounded}%`;
}

/** `0.4s`, `12s`, `3m 04s`, `2h 05m`. Pure. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m ${two(whole % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** A duration in whole seconds, for a ticking clock. Pure. */
export function clock(milliseconds: number): string {
  const seconds = Math.floor(Math.max(0, milliseconds) / 1_000);
  return seconds < 10 ? `${seconds}s` : duration(seconds * 1_000);
}

/** `1 fold`, `3 folds`. Pure. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function short(value: number): string {
  return value >= 99.95 ? String(Math.round(value)) : String(Number(value.toFixed(1)));
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
