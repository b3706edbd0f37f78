import type { Role } from './dialect.ts';
import type { Budget, Size } from './size/budget.ts';

/** What `fold` may weigh more: what is saved, or what is kept. */
export const PREFERENCES = ['price', 'balance', 'memory'] as const;
export type Preference = (typeof PREFERENCES)[number];

/** What a fold decides for a turn. */
export type Verdict = 'keep' | 'mask' | 'drop';

/**
 * What replaces dropped turns: nothing; a marker, but only if a file was changed; a marker, which has their handles and the files
 * that were changed; the digest; or a model's summary with the digest.
 */
export type NoteKind = 'none' | 'changes' | 'marker' | 'digest' | 'summary';

/** Where the note goes: after the head, or before the newest turn, so that everything before it stays cached. */
export type NotePlace = 'head' | 'newest';

/** What a tool call was for, judging by its name and arguments. */
export type CallKind = 'read' | 'write' | 'search' | 'command' | 'other';

/** A tool result as a strategy sees it. */
export interface TurnResult {
  readonly tool: string;
  readonly kind: CallKind;
  /** Files that the call names. */
  readonly files: readonly string[];
  /** The lines that a read asked for: all of them unless it says so. */
  readonly lines: readonly [from: number, to: number];
  readonly tokens: number;
  readonly chars: number;
  readonly error: boolean;
  /** Already shortened by an earlier fold. */
  readonly masked: boolean;
  /** Tokens of the lines that the conversation mentions; 0 if none are distinctive. */
  readonly excerpt: number;
  /** A newer result has the same bytes. */
  readonly repeated: boolean;
  /** An earlier call changed one of its files, or the user named one. */
  readonly edited: boolean;
  readonly named: boolean;
}

/** A turn as a strategy sees it: sizes and facts, no messages. */
export interface Turn {
  /** Index in the history of its first message. */
  readonly from: number;
  readonly messages: number;
  readonly tokens: number;
  readonly role: Exclude<Role, 'tool'>;
  readonly results: readonly TurnResult[];
  /** Tokens of long texts in the arguments of its calls. */
  readonly argument_tokens: number;
  /** Holds words of the user or of a system message. */
  readonly words: boolean;
  /** Kept whatever the verdict: head, first and newest user message; the newest turn can only be masked. */
  readonly kept: boolean;
  /** Among the last `preserve_last_n` messages. */
  readonly recent: boolean;
  /** In the last exchange: the newest calls with their results and what was said about them, until the user speaks again. */
  readonly latest: boolean;
  /** How many words of `compact()`'s focus it mentions. */
  readonly focus: number;
}

/** Decides when to fold and judges turns. Must be pure: the same turns and budget give the same answer. */
export interface Strategy {
  readonly name?: string;
  /** Shares of `max` that a fold shrinks the view to, unless `target` is configured. Default one half. */
  readonly target?: { readonly messages: number; readonly tokens: number };
  /** Tokens above which its `due()` wants a fold, if less than `max`: targets are then shares of these. */
  readonly fold_tokens?: number;
  /** Most tokens of its notes, apart from a summary. Default 3,000. */
  readonly note_tokens?: number;
  /**
   * Tokens that its notes may use in addition, for the words of user and assistant alone, by the room for messages or the size
   * of the whole history, whichever is less. Default none.
   */
  readonly note_words?: (room: number) => number;
  /** Most of what was folded, and of what the budget leaves, that a reminder may take; at least 2% of the room. Default 0.13. */
  readonly reminder_share?: number;
  /** The form of its summaries: six sections or free, their length, and the least number of dropped messages (10). */
  readonly summary?: { readonly sections: boolean; readonly max_tokens: number; readonly least_messages?: number };
  /** It keeps the newest turns that fit and drops all before them, so it is not shown turns that no budget could hold. */
  readonly newest?: boolean;
  /**
   * Results of more characters than this are cut before the first request for which they are no longer in the last exchange,
   * by a fold that asks only strategies with this field, drops nothing and keeps the note.
   */
  readonly trim_chars?: number;
  /** Asked only if there are new messages since the last fold. */
  due(size: Size, budget: Budget): boolean;
  judge(turns: readonly Turn[], budget: Budget): Judgement;
}

/** What a strategy decides: a verdict for each turn, the kind of note, and how much of a result a mask shows. */
export interface Judgement {
  readonly verdicts: readonly Verdict[];
  readonly note: NoteKind;
  /** Default `head`. In a list of strategies, the last one given wins. */
  readonly note_place?: NotePlace;
  /** For each turn, the indices of results that a mask leaves as they are. In a list, those that all strategies spare. */
  readonly spare?: readonly (readonly number[])[];
  /** Likewise, the results of which a mask shows the lines that the conversation mentions. */
  readonly excerpts?: readonly (readonly number[])[];
  /**
   * For each turn, whether a mask shortens long texts in the arguments of its calls, too. In a list, if all strategies say so.
   */
  readonly short_arguments?: readonly boolean[];
  /** In a list of strategies, the smallest number wins. */
  readonly mask_chars?: number;
  /** In a list of strategies, the last one given wins. */
  readonly wording?: Wording;
}

/** A strategy's own words for masks and notes; how to recall is always added. */
export interface Wording {
  /** Follows the first `mask_chars` characters of a masked result; `{chars}` is the length of the whole result. */
  readonly mask?: string;
  /** First line of a note of kind `marker` or `digest`; `{dropped}` is the number of messages that are not in the view. */
  readonly marker?: string;
  /** Heading of a list of tools with their number of uses. By default there is no such list: names are worth more. */
  readonly tools?: string;
}
