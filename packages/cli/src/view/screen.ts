import { EventEmitter } from 'node:events';
import { drawn } from './printed.ts';
import { rowsOf } from './text.ts';

const UP = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const ERASE_DOWN = '\u001b[J';
const HOLD = '\u001b[?2026h';
const SHOW = '\u001b[?2026l';

/**
 * The terminal as ink sees it: all that it writes goes through, but it hears of a resize only once `settled` has been
 * called. Terminals wrap the rows they already show when they become narrower, ink erases as many as it had drawn, and
 * the rest would stay in the scrollback for ever.
 */
export class Screen extends EventEmitter {
  readonly isTTY = true;
  readonly #stdout: NodeJS.WriteStream;

  constructor(stdout: NodeJS.WriteStream) {
    super();
    this.#stdout = drawn(stdout);
  }

  get columns(): number {
    return this.#stdout.columns || 80;
  }

  get rows(): number {
    return this.#stdout.rows || 24;
  }

  get writable(): boolean {
    return this.#stdout.writable;
  }

  write(text: string, callback?: () => void): boolean {
    return callback ? this.#stdout.write(text, callback) : this.#stdout.write(text);
  }

  /** Erases what wrapping added to rows that were drawn; to be called when ink has erased as many as it had drawn. */
  eraseWrapped(drawn: readonly string[]): void {
    const rows = drawn.reduce((sum, row) => sum + rowsOf(row, this.columns), 0);
    const above = Math.min(rows - drawn.length, this.rows - 1);
    if (above > 0) this.write(`${UP(above)}\r${ERASE_DOWN}`);
  }

  /** The terminal shows what follows all at once, from `settled` on. */
  unsettled(): void {
    this.write(HOLD);
  }

  /** Ink may measure again, and the terminal show what was drawn. */
  settled(): void {
    this.emit('resize');
    this.write(SHOW);
  }
}
