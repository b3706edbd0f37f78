/** Who speaks. Any message with tool results is `tool`, whatever role the wire format gives it. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** A tool call on the wire: `input` is JSON text or an object. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Written into the message's words: on the wire there is no call. */
  readonly spoken?: boolean;
}

/** A tool result on the wire: `content` is text or a list of blocks. */
export interface Result {
  readonly id: string;
  readonly content: unknown;
  readonly error: boolean;
}

/** False if the model cannot recall: then nothing names handles. Otherwise how they look, and how the model recalls. */
export type Handles =
  | boolean
  | {
      /** The conversation's name at the end of each handle (`m41@ID`): 1 to 40 letters, digits, `_` or `-`. */
      readonly scope?: string;
      /** The note's sentence on how to recall, with `{handle}` for an example. */
      readonly how?: string;
    };

/** What a message contains besides text. */
export interface MediaSizes {
  readonly images: number;
  /** Pages of documents, if the provider counts them as images. */
  readonly pages?: number;
  /** Images with a side above `many_side`. */
  readonly wide: number;
  /** Characters of base64. */
  readonly bytes: number;
  /** The longest side of an image in pixels, and the most bytes in one. */
  readonly side: number;
  readonly largest: number;
}

/** A provider's limits for one request, apart from its window; undefined means no limit. */
export interface Limits {
  readonly bytes?: number;
  /** Images and pages of documents. */
  readonly images?: number;
  readonly image_bytes?: number;
  readonly image_side?: number;
  /** Above this many images, none may have a side above `many_side`. */
  readonly many_images?: number;
  readonly many_side?: number;
}

/** What the engine needs to know about a message. Made once per message, so it must be cheap. */
export interface Reading {
  readonly role: Role;
  /** Characters sent as text: words, calls, results; never base64. */
  readonly chars: number;
  /** Tokens of images, documents and sound, by the provider's formula. */
  readonly media: number;
  readonly calls: readonly Call[];
  readonly results: readonly Result[];
  /** Has words of its own besides calls and results. */
  readonly words: boolean;
  /** Has thinking or reasoning blocks. */
  readonly thinking: boolean;
  /** Number of cache markers. */
  readonly markers: number;
  /** Must stay with the message after it (a reasoning item). */
  readonly joined: boolean;
  /** Images, documents and sound, if it has any. */
  readonly mediaSizes?: MediaSizes;
  /** Represents more than it says, like a provider's own compaction, so no fold touches it. */
  readonly firm: boolean;
}

/** A rule of the wire format that a list of messages breaks. */
export interface Violation {
  /** Index of the message; -1 if the whole request breaks the rule. */
  readonly index: number;
  readonly rule: string;
  readonly fix: string;
  /** Details, such as the provider's own error text. */
  readonly message?: string;
}

/** Whether thinking blocks are `bound` to the exact messages before them, or `free`. */
export type Thinking = 'bound' | 'free';

/** What a message becomes, and what was done to it, by the rule that it broke. */
export interface Tidied<M> {
  readonly messages: readonly M[];
  readonly done: Readonly<Record<string, string>>;
}

/** The place of a message in a history whose calls and results are paired. */
export interface TidyPlace<M> {
  readonly messages: readonly M[];
  readonly index: number;
  /** The message before it, already tidied. */
  readonly before: M | undefined;
}

/** Everything the engine knows about one wire format. All functions are pure and return copies. */
export interface Dialect<M = unknown> {
  readonly name: string;
  readonly thinking: Thinking;
  /** True if the ids of all calls in a request must differ. */
  readonly uniqueCallIds: boolean;
  /** True if the message after the calls must have all their results. */
  readonly resultsTogether: boolean;
  /** True if one response of the model may be several messages: they form one turn, with all results for its calls. */
  readonly splitResponses: boolean;
  /** Where system messages may come after the first user message; `after-user`: after a user message, before an assistant's. */
  readonly systemInside: 'anywhere' | 'after-user';
  readonly limits: Limits;
  /** Set by a window with `handles`, for everything that prints them. Default true. */
  readonly handles?: Handles;
  read(message: M): Reading;
  /** The message's own words (no calls, results or thinking), joined by line breaks. */
  text(message: M): string;
  /** Those words that the speaker said, without output of a provider's tools and results quoted by `quote`. Default: all. */
  said?(message: M): string;
  /** A copy with these texts as the results at these indexes. */
  maskResults(message: M, texts: ReadonlyMap<number, string>): M;
  /**
   * A copy with these arguments for the calls at these indexes, each in the form that `read` returned: an object or text. Calls
   * that the provider signed stay as they are. Without it, arguments are never shortened.
   */
  maskCalls?(message: M, inputs: ReadonlyMap<number, unknown>): M;
  /** A copy with this text as its own words; calls and results stay. The message itself if a text cannot replace its content. */
  maskText(message: M, text: string): M;
  /**
   * A copy of a user message or of results with this text at the end: inside the last result or after the user's words, as a
   * separate block where there are blocks, otherwise after the text. Undefined for other messages and where there is no such
   * place. Without it there are no reminders.
   */
  append?(message: M, text: string): M | undefined;
  /** A copy without thinking blocks; undefined if nothing is left. */
  withoutThinking(message: M): M | undefined;
  /**
   * The message as another server accepts it: without thinking and signatures. The same one if it has none. Default: by
   * `withoutThinking`.
   */
  unsigned?(message: M): M;
  /** A copy with only its last `keep` cache markers; the message itself if it has no more. */
  withMarkers(message: M, keep: number): M;
  /** A new message with the text of a note. */
  note(role: 'user' | 'assistant', text: string): M;
  /**
   * Messages that answer these calls with this text, as failed. If `resultsTogether`, `into` is the message after the calls,
   * if that may have results: it is returned with the answers before its words.
   */
  answer(calls: readonly Call[], text: string, into?: M): readonly M[];
  /** The message, as one or several, with the results at these indexes quoted as the user's words. */
  quote(message: M, parts: ReadonlySet<number>): readonly M[];
  /**
   * For `repair`: what a message becomes if it breaks a rule of this wire format that can be repaired, and what was done, by
   * rule; undefined if there is nothing to do. Called before calls and results are paired, and again with `place` afterwards.
   */
  tidy?(message: M, place?: TidyPlace<M>): Tidied<M> | undefined;
  /** For `repair`: one message per result and one for the rest, in order. Without it, results move with their message. */
  split?(message: M): readonly M[];
  /** For `repair`, if `resultsTogether`: joins user messages, or parts of them, in order. */
  merge?(messages: readonly M[]): M;
  /** For `repair`: a copy with other ids for the calls and results at these indexes. Without it, a duplicate id is an error. */
  rename?(message: M, calls: ReadonlyMap<number, string>, results: ReadonlyMap<number, string>): M;
  /**
   * Every rule that a request with these messages would break, except those of pairing, which the engine checks with `read`.
   * `part: true`: they are the end of a longer request that was checked before, so rules about its first message and its
   * total do not apply.
   */
  validate(
    messages: readonly M[],
    request?: { readonly part?: boolean } & Readonly<Record<string, unknown>>,
  ): Violation[];
  /** True if only this wire format has such a message, false if it cannot have it, undefined if both are possible. */
  recognizes(message: unknown): boolean | undefined;
}
