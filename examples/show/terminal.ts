/** Colours for a terminal, or none. */
export interface Paint {
  dim(text: string): string;
  bold(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
  red(text: string): string;
}

/** Pure; without `colors`, returns texts unchanged. */
export function createPaint(colors: boolean): Paint {
  const style = (on: number, off: number) => (text: string) => (colors ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return {
    dim: style(2, 22),
    bold: style(1, 22),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
    red: style(31, 39),
  };
}

/** A whole number with commas: 12,345. */
export function figure(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Cuts the text to `width` characters, ending in an ellipsis. */
export function clip(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `width` cells, filled to a fraction. */
export function bar(share: number, width: number): { readonly filled: string; readonly rest: string } {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8);
  const filled = '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
  return { filled, rest: '·'.repeat(width - filled.length) };
}
