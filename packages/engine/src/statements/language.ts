/** What a sentence states. `other`: something else that a user said. */
export type StatementKind =
  | 'rule'
  | 'correction'
  | 'preference'
  | 'decision'
  | 'cause'
  | 'failed'
  | 'finding'
  | 'open'
  | 'fact'
  | 'other';

/** Kinds that phrases point to. */
export type SignalKind = Exclude<StatementKind, 'other'>;

/**
 * The phrases of one language, separated by `|`. Write them in lowercase, accents or not, contractions written out (`do not`).
 * `^` only at the start of a sentence; `stem*` any word with this start; `..` up to four words in between. Commas and colons
 * count as words.
 */
export interface Language {
  /** A character of its script, if that is not the Latin one: its phrases are read when a text first has one. */
  readonly script?: RegExp;
  /** For each kind the phrases that suffice. */
  readonly signals: Readonly<Record<SignalKind, string>>;
  /** Phrases that need another one, or a name in the sentence. They say nothing about the kind. */
  readonly hints: string;
  /** Words with which a plain statement is made: `is`, `takes`, `belongs`. They count if the sentence has two names. */
  readonly verbs: string;
  /** How a sentence starts that says what the speaker does next. */
  readonly intents: string;
  /** Words for looking at something: a sentence that announces only this says nothing worth keeping. */
  readonly looks: string;
  /** Progress reports, which say nothing worth keeping. */
  readonly progress: string;
  /** Short replies that carry no information. */
  readonly smallTalk: string;
  /** Words before a full stop that does not end the sentence. */
  readonly abbreviations: string;
}
