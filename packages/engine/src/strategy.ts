import type { Role } from './dialect.ts';
import type { Budget, Size } from './size/budget.ts';

/** The built-in strategies. */
export type StrategyName = 'fold' | 'sliding' | 'governed' | 'two-tier' | 'rolling';

/** What a fold decides for a turn. */
export type Verdict = 'keep' | 'mask' | 'drop';

/** What speaks for the dropped turns: nothing, a line with their handle, the digest, or a summary by a model with it. */
export type NoteKind = 'none' | 'marker' | 'digest' | 'summary';

/** Where the note stands: behind the head, or right before the newest turn, so that what stays before it stays cached. */
export type NotePlace = 'head' | 'newest';

/** What a tool call was for, as far as its name and arguments tell. */
export type CallKind = 'read' | 'write' | 'search' | 'command' | 'other';

/** A tool result as a strategy sees it. */
export interface TurnResult {
  readonly tool: string;
  readonly kind: CallKind;
  /** Files that the call names. */
  readonly files: readonly string[];
  readonly tokens: number;
  readonly chars: number;
  readonly error: boolean;
  /** Shortened by an earlier fold. */
  readonly masked: boolean;
  /** Tokens of the lines in it that the conversation speaks of; 0 where none stand out. */
  readonly excerpt: number;
  /** The same bytes stand in a newer result. */
  readonly repeated: boolean;
  /** A call before it changed a file of the same name as one of its own, or the user named one; the folder does not count. */
  readonly edited: boolean;
  readonly named: boolean;
}

/** A turn as a strategy sees it: sizes and facts, no messages. */
export interface Turn {
  /** Place in the history of its first message. */
  readonly from: number;
  readonly messages: number;
  readonly tokens: number;
  readonly role: Exclude<Role, 'tool'>;
  readonly results: readonly TurnResult[];
  /** Holds the user's own words, or a system message's. */
  readonly words: boolean;
  /** Always kept, whatever the verdict: head, first and newest user message; the newest turn may only be masked. */
  readonly kept: boolean;
  /** Among the last `preserve_last_n` messages. */
  readonly recent: boolean;
  /** Of the last exchange: the newest calls with their results and what was said to them, until the user speaks again. */
  readonly latest: boolean;
  /** How often it speaks of the focus of `compact()`. */
  readonly focus: number;
}

/** Says when a fold is due and judges turns. Must be pure: same turns and budget, same answer. */
export interface Strategy {
  readonly name?: string;
  /** Shares of `max` that a fold goes down to where the configuration gives no `target`. Default one half. */
  readonly target?: { readonly messages: number; readonly tokens: number };
  /** Tokens above which its `due()` wants a fold where `max` is more: then targets are shares of these. */
  readonly fold_tokens?: number;
  /** The summary that its notes ask for: in the six sections or free, how long at most, for how many dropped messages at least (10). */
  readonly summary?: { readonly sections: boolean; readonly max_tokens: number; readonly least_messages?: number };
  /** It keeps the newest turns that fit and drops all before them: it is not shown turns that no budget could hold. */
  readonly newest?: boolean;
  /**
   * Results of more characters than this are cut before the first request for which they are no longer in the last exchange:
   * by a fold that asks only strategies with this field, drops nothing and leaves the note as it is.
   */
  readonly trim_chars?: number;
  /** Asked only when something new was said since the last fold. */
  due(size: Size, budget: Budget): boolean;
  judge(turns: readonly Turn[], budget: Budget): Judgement;
}

/** What a strategy decides: a verdict for each turn, what speaks for the dropped ones, how much of a result a mask shows. */
export interface Judgement {
  readonly verdicts: readonly Verdict[];
  readonly note: NoteKind;
  /** Default `head`. In a list of strategies, the last that gives one. */
  readonly note_place?: NotePlace;
  /** For each turn, the places of those of its results that a mask leaves as they are. In a list, those that all spare. */
  readonly spare?: readonly (readonly number[])[];
  /** Likewise, those of which a mask shows the lines that the conversation speaks of. */
  readonly excerpts?: readonly (readonly number[])[];
  /** In a list of strategies, the fewest that any asks for. */
  readonly mask_chars?: number;
  /** In a list of strategies, the last that gives one. */
  readonly wording?: Wording;
}

/** Words of a strategy's own for what its verdicts leave behind; the way to recall is always added. */
export interface Wording {
  /** Stands behind the first `mask_chars` characters of a masked result, with `{chars}` for the length of all of it. */
  readonly mask?: string;
  /** First line of a note of kind `marker`, with `{dropped}` for the messages that are not in the view. */
  readonly marker?: string;
  /** Heading under which a digest tells how often each tool was used. Without one it does not: names are worth more. */
  readonly tools?: string;
}
