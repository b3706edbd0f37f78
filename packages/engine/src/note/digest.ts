import type { NameKind } from '../names/scan-names.ts';
import type { FileFact } from './ledger.ts';

/** The parts of a digest that are lines of text, in the order of a note. */
export type Section = 'asked' | 'decisions' | 'causes' | 'failed' | 'findings' | 'open' | 'todos';

/** The sections with what the assistant said. */
export const STATEMENTS: readonly Section[] = ['decisions', 'causes', 'failed', 'findings', 'open'];

/** A line of the digest, the index of its message and the weight of the statement: how much it matters. */
export type Remark = readonly [text: string, at: number, weight?: number];

/**
 * What was run, the index of its result, the exit code if known, and the line that says what failed; if it succeeded since, the
 * files that were changed in between.
 */
export type CommandFact = readonly [
  command: string,
  at: number,
  exit?: number | null,
  failure?: string,
  mended?: string,
];

/**
 * A name that left the view: calls that used it, messages that mention it, the index of the last, whether that was a call,
 * and for a number or a hash the words that explain it and the index of their message.
 */
export type NameFact = readonly [
  name: string,
  kind: NameKind,
  uses: number,
  mentions: number,
  last: number,
  argued?: 0 | 1,
  meaning?: string,
  explained?: number,
];

/** A tool, how many of the dropped calls used it, and the index of the last. */
export type ToolFact = readonly [name: string, uses: number, last: number];

/** Facts of the turns that were masked or dropped. Plain data, bounded, merged from fold to fold. */
export type Digest = Readonly<Record<Section, readonly Remark[]>> & {
  readonly version: 1;
  /** Messages of the user with words that are no longer in `asked`. */
  readonly omitted: readonly number[];
  readonly files: readonly FileFact[];
  readonly commands: readonly CommandFact[];
  readonly names: readonly NameFact[];
  readonly tools: readonly ToolFact[];
};

export const EMPTY_DIGEST: Digest = {
  version: 1,
  asked: [],
  decisions: [],
  causes: [],
  failed: [],
  findings: [],
  open: [],
  todos: [],
  omitted: [],
  files: [],
  commands: [],
  names: [],
  tools: [],
};
