/** `640`, `18k`, `18.4k`, `1.2M`. Pure. */
export function tokens(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  return count < 999_500 ? `${short(count / 1_000)}k` : `${short(count / 1_000_000)}M`;
}

/** Dollars with two digits, small amounts with more, large ones with none. Pure. */
export function money(dollars: number): string {
  const size = Math.abs(dollars);
  if (size >= 1_000) return `$${whole(Math.round(dollars))}`;
  return `$${dollars.toFixed(size === 0 || size >= 0.1 ? 2 : size >= 0.001 ? 3 : 4)}`;
}

/** `87%`; 100% and 0% only if exact. Pure. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  if (rounded === 100 && share < 1) return '99%';
  return rounded === 0 && share > 0 ? '<1%' : `${rounded}%`;
}

/** `12,345`. Pure. */
export function whole(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 fold`, `1,200 folds`. Pure. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${whole(count)} ${count === 1 ? noun : nouns}`;
}

/** `just now`, `5 min ago`, `3 h ago`, `2 days ago`. Pure. */
export function age(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 60 * 24) return `${Math.floor(minutes / 60)} h ago`;
  return `${counted(Math.floor(minutes / 1_440), 'day')} ago`;
}

/** A remark as a sentence: `the file is gone` becomes `The file is gone.` Names and handles stay as they are. Pure. */
export function sentence(text: string): string {
  const first = /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.?!…]$/.test(first) ? first : `${first}.`;
}

function short(value: number): string {
  return value >= 99.95 ? String(Math.round(value)) : String(Number(value.toFixed(1)));
}
