import { type Colours, createColours } from './colours.ts';

/** Colours and symbols. */
export interface Style {
  readonly colours: Colours;
  readonly marks: Marks;
}

export interface Marks {
  readonly passed: string;
  readonly failed: string;
  readonly fold: string;
  readonly arrow: string;
  readonly rule: string;
  readonly full: string;
  readonly empty: string;
  readonly dot: string;
  readonly spinner: readonly string[];
  /** Corners clockwise from the top left, then the horizontal and vertical sides. */
  readonly box: readonly [string, string, string, string, string, string];
}

const UNICODE: Marks = {
  passed: '✓',
  failed: '✗',
  fold: '≡',
  arrow: '→',
  rule: '─',
  full: '█',
  empty: '░',
  dot: '·',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  box: ['╭', '╮', '╯', '╰', '─', '│'],
};

const ASCII: Marks = {
  passed: 'ok',
  failed: 'FAILED',
  fold: '=',
  arrow: '->',
  rule: '-',
  full: '#',
  empty: '.',
  dot: '-',
  spinner: ['*'],
  box: ['+', '+', '+', '+', '-', '|'],
};

/** For a terminal; without colours if `NO_COLOR` is set. Pure. */
export function terminalStyle(env: Readonly<Record<string, string | undefined>>): Style {
  const wanted = !env.NO_COLOR && env.TERM !== 'dumb';
  return { colours: createColours(wanted), marks: UNICODE };
}

/** For files and pipes: no colours, ASCII only. */
export const plainStyle: Style = { colours: createColours(false), marks: ASCII };
