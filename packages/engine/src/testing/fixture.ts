/** A tool call for a fixture to write. */
export interface FixtureCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A tool result for a fixture to write; `name` is the tool's. */
export interface FixtureResult {
  readonly id: string;
  readonly name: string;
  readonly content: string;
}

/** Messages that break a rule of the format, the rule, and the index of the message at fault. */
export interface Broken<M> {
  readonly rule: string;
  /** -1 if the request as a whole is at fault. */
  readonly index: number;
  readonly messages: readonly M[];
}

/**
 * How to write messages in one format. Every function is pure and returns new messages that the API accepts. Leave out what
 * the format does not have; it is not tested.
 */
export interface Fixture<M> {
  /** A text of the user. */
  user(text: string): M;
  /** One response of the model: text ('' for none), calls, or both; never neither. */
  assistant(text: string, calls: readonly FixtureCall[]): readonly M[];
  /** The results for all calls of one response, or for some of them. */
  results(results: readonly FixtureResult[]): readonly M[];
  /** The same, marked as failed. */
  failed?(results: readonly FixtureResult[]): readonly M[];
  /** The same, with text of the user in the last message. */
  aside?(results: readonly FixtureResult[], text: string): readonly M[];
  /** A system message among the others. */
  system?(text: string): M;
  /** A response that begins with thinking. */
  thinking?(thought: string, text: string, calls: readonly FixtureCall[]): readonly M[];
  /** A text of the user and a PNG in base64. */
  image?(text: string, png: string): M;
  /** A copy with a cache marker on each of its parts. */
  marked?(message: M): M;
  /** What `validate` must refuse: one example for each of its rules. */
  readonly broken?: readonly Broken<M>[];
}
