import type { RequestPiece } from '../entry.ts';

/** A replaced stretch that is longer than this share of a text saves too little. */
const MOST_REPLACED = 0.25;

/** The text of a value: a text is itself, anything else its JSON. Pure. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** The text that pieces make. `value`: what the entry of this number holds. Pure. */
export function piecesText(pieces: readonly RequestPiece[], value: (entry: number) => unknown): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if (typeof piece === 'number') return textOf(value(piece));
      const base = textOf(value(piece.entry));
      return base.slice(0, piece.from) + piece.text + base.slice(piece.to);
    })
    .join('');
}

/** The entries that pieces need. Pure. */
export function entriesInPieces(pieces: readonly RequestPiece[]): number[] {
  return pieces.flatMap((piece) => {
    if (typeof piece === 'string') return [];
    return typeof piece === 'number' ? [piece] : [piece.entry];
  });
}

/** The pieces with other numbers for the entries that they need. Pure. */
export function renumberedPieces(pieces: readonly RequestPiece[], to: (entry: number) => number): RequestPiece[] {
  return pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    return typeof piece === 'number' ? to(piece) : { ...piece, entry: to(piece.entry) };
  });
}

/**
 * The one stretch of `base` to replace so that it becomes `text`, as when a client moves its cache marker to another message;
 * undefined if that is most of it. Pure.
 */
export function replacement(
  base: string,
  text: string,
): { readonly from: number; readonly to: number; readonly text: string } | undefined {
  const shorter = Math.min(base.length, text.length);
  let from = 0;
  while (from < shorter && base[from] === text[from]) from++;
  let tail = 0;
  while (tail < shorter - from && base[base.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  // A cut through a surrogate pair would leave halves, which not every store takes.
  if (/[\ud800-\udbff]/.test(text[from - 1] ?? '')) from--;
  if (tail > 0 && /[\udc00-\udfff]/.test(text[text.length - tail] ?? '')) tail--;
  if (text.length - tail - from > MOST_REPLACED * text.length) return undefined;
  return { from, to: base.length - tail, text: text.slice(from, text.length - tail) };
}
