import { type Colours, createColours } from './colours.ts';

/** Colours and symbols. */
export interface Style {
  readonly colours: Colours;
  readonly marks: Readonly<typeof UNICODE>;
}

const UNICODE = {
  passed: '✓',
  failed: '✗',
  fold: '≡',
  arrow: '→',
  rule: '─',
  full: '█',
  empty: '░',
  dot: '·',
  side: '│',
  bullet: '•',
  spinner: '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏',
  /** Corners clockwise from the top left, then the horizontal and vertical sides. */
  box: '╭╮╯╰─│',
};

const ASCII: Style['marks'] = {
  passed: 'ok',
  failed: 'FAILED',
  fold: '=',
  arrow: '->',
  rule: '-',
  full: '#',
  empty: '.',
  dot: '-',
  side: '|',
  bullet: '-',
  spinner: '*',
  box: '++++-|',
};

/** For a terminal; without colours if `NO_COLOR` is set. Pure. */
export function terminalStyle(env: Readonly<Record<string, string | undefined>>): Style {
  const wanted = !env.NO_COLOR && env.TERM !== 'dumb';
  return { colours: createColours(wanted), marks: UNICODE };
}

/** For files and pipes: no colours, ASCII only. */
export const plainStyle: Style = { colours: createColours(false), marks: ASCII };

/** The spinner's symbol at a tick. Pure. */
export function spinnerAt(tick: number, { colours, marks }: Style): string {
  return colours.cyan(marks.spinner.charAt(tick % marks.spinner.length));
}
