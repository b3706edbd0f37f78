/** Who speaks. `tool` is any message that carries tool results, whatever role its wire format gives it. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** A tool call as it stands on the wire: `input` is JSON text or an object. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A tool result as it stands on the wire: `content` is text or a list of blocks. */
export interface Result {
  readonly id: string;
  readonly content: unknown;
  readonly error: boolean;
}

/** What a message carries beside text. */
export interface Bulk {
  readonly images: number;
  /** Pages of documents, where the provider counts them with images. */
  readonly pages?: number;
  /** Images with a side above `many_side`. */
  readonly wide: number;
  /** Characters of base64. */
  readonly bytes: number;
  /** The longest side in pixels of an image, and the most characters of base64 in one. */
  readonly side: number;
  readonly largest: number;
}

/** What a provider takes in one request beside its window; none where it is left out. */
export interface Limits {
  readonly bytes?: number;
  /** Images, and pages of documents. */
  readonly images?: number;
  readonly image_bytes?: number;
  readonly image_side?: number;
  /** Above this many images, none may have a side above `many_side`. */
  readonly many_images?: number;
  readonly many_side?: number;
}

/** What the engine needs to know of a message. Made once for each message, so it must be cheap. */
export interface Reading {
  readonly role: Role;
  /** Characters sent as text: words, calls, results; never base64. */
  readonly chars: number;
  /** Tokens of images, documents and sound, by the provider's formula. */
  readonly media: number;
  readonly calls: readonly Call[];
  readonly results: readonly Result[];
  /** Holds words of its own beside calls and results. */
  readonly words: boolean;
  /** Holds thinking or reasoning blocks. */
  readonly thinking: boolean;
  /** How many cache markers it carries. */
  readonly markers: number;
  /** May not be parted from the message after it (a reasoning item). */
  readonly joined: boolean;
  /** Images, documents and sound, where it has any. */
  readonly bulk?: Bulk;
  /** Stands for more than it says, as a provider's own compaction does: no fold touches it. */
  readonly firm: boolean;
}

/** A rule of the wire format that a list of messages breaks. */
export interface Violation {
  /** Index of the message; -1 where the request as a whole is at fault. */
  readonly index: number;
  readonly rule: string;
  readonly fix: string;
  /** More about it, such as the provider's own error text. */
  readonly message?: string;
}

/** How thinking blocks depend on what stands before them: `bound` to the exact prefix, or `free`. */
export type Thinking = 'bound' | 'free';

/** What a message becomes, and what was done to it, by the rule that it broke. */
export interface Tidied<M> {
  readonly messages: readonly M[];
  readonly done: Readonly<Record<string, string>>;
}

/** Where a message stands in a history whose calls and results are paired. */
export interface TidyPlace<M> {
  readonly messages: readonly M[];
  readonly index: number;
  /** The message before it, as it has become. */
  readonly before: M | undefined;
}

/** All that the engine may know of one wire format. Every function is pure and returns copies, never a changed input. */
export interface Dialect<M = unknown> {
  readonly name: string;
  readonly thinking: Thinking;
  /** True if no two calls of a request may have the same id. */
  readonly uniqueCallIds: boolean;
  /** True if all results for the calls of a message must stand in the next one. */
  readonly resultsTogether: boolean;
  /** True if one response of the model may be several messages: they are one turn, with all results for its calls. */
  readonly splitResponses: boolean;
  /** Where a system message may stand behind the first user message: `after-user` means before an assistant message, too. */
  readonly systemInside: 'anywhere' | 'after-user';
  /** True if a message with calls may not follow a message of the assistant without any. */
  readonly callsAfterUser?: boolean;
  readonly limits: Limits;
  /** False if nobody in the conversation can recall: notes and shortened messages then show no handles. Default true. */
  readonly handles?: boolean;
  read(message: M): Reading;
  /** The message's own words (no calls, results or thinking), joined by line breaks. */
  text(message: M): string;
  /** What of these words the speaker said, where others may have: a provider's tools, results quoted by `quote`. Default: all. */
  said?(message: M): string;
  /** A copy whose results at these places hold the given text instead. */
  maskResults(message: M, texts: ReadonlyMap<number, string>): M;
  /** A copy whose own words are the given text; calls and results stay. The message itself if it holds what no text can stand for. */
  maskText(message: M, text: string): M;
  /** A copy without thinking blocks; undefined if nothing would be left. */
  withoutThinking(message: M): M | undefined;
  /** A copy that carries only its last `keep` cache markers; the same object if it has no more than that. */
  withMarkers(message: M, keep: number): M;
  /** A new message that speaks for what was dropped. */
  note(role: 'user' | 'assistant', text: string): M;
  /**
   * Messages that answer these calls with the text, as failed. Where `resultsTogether`, `into` is the message behind the
   * calls, if that may hold results: then it is given back with them, in front of its words.
   */
  answer(calls: readonly Call[], text: string, into?: M): readonly M[];
  /** The message with its results at these places as quoted words of the user instead: itself or several. */
  quote(message: M, parts: ReadonlySet<number>): readonly M[];
  /**
   * For `repair`: what the message becomes where it breaks a rule of this wire format that can be mended, and what was done,
   * by rule; undefined if there is nothing to do. Asked before calls and results are paired, and with `place` after it.
   */
  tidy?(message: M, place?: TidyPlace<M>): Tidied<M> | undefined;
  /** For `repair`: one message for each result and one for the rest, in order. Without it results move with their message. */
  split?(message: M): readonly M[];
  /** For `repair`, where `resultsTogether`: messages of the user, or parts of them, as one, in order. */
  merge?(messages: readonly M[]): M;
  /** For `repair`: a copy whose calls and results at these places have other ids. Without it a double id is an error. */
  rename?(message: M, calls: ReadonlyMap<number, string>, results: ReadonlyMap<number, string>): M;
  /**
   * Every rule that a request with these messages would break, beside those of pairing, which the engine checks by what
   * `read` says. `part: true` means that they are the end of a longer request that was checked before: rules about its
   * first message and about its total are left out.
   */
  validate(
    messages: readonly M[],
    request?: { readonly part?: boolean } & Readonly<Record<string, unknown>>,
  ): Violation[];
  /** True if only this wire format has such a message; false if it cannot be; undefined if it cannot be told. */
  recognizes(message: unknown): boolean | undefined;
}
