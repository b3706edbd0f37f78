/** A number of messages, and tokens including all overhead (system prompt, tools). */
export interface Size {
  readonly messages: number;
  readonly tokens: number;
}

/** The bounds of a view; Infinity means no bound. Tokens include `reserve`. */
export interface Budget {
  /** The view folds when it exceeds this, and no view that is sent does. */
  readonly max: Size;
  /** A fold shrinks the view to this. */
  readonly target: Size;
  /** The model's real window. */
  readonly limit: number;
  /** Tokens outside the messages: the configured number, or the measured one if that is more. */
  readonly reserve: number;
  /** Tokens for the note, how many of them are for a model's summary, and how many for the words of user and assistant alone. */
  readonly note: number;
  readonly summary: number;
  readonly words: number;
  readonly preserve_first_n: number;
  readonly preserve_last_n: number;
  /** The whole history, folded or not, including the reserve. */
  readonly history: Size;
  /** Tokens added since the last fold, and those that the model has not answered: the newest turn, and results before it. */
  readonly grown: number;
  readonly newest: number;
  /** The newest turn is the user's, and tools were called since the user's turn before it. */
  readonly asked: boolean;
  /** One of the newest `WORK_TURNS` turns changed a file: the agent is in the middle of a piece of work. */
  readonly working: boolean;
  /** Writing a token to the provider's cache costs as much as reading this many from it. */
  readonly write_price: number;
  /** Tokens that a character and a message cost. */
  readonly rates: { readonly character: number; readonly message: number };
}

/** How many of the newest turns count as the work at hand. From replays: two or three. */
export const WORK_TURNS = 3;

/** True if messages or tokens exceed their bound. */
export function exceeds(size: Size, bound: Size): boolean {
  return size.messages > bound.messages || size.tokens > bound.tokens;
}

/** The share of `max` that a fold shrinks the view to; for tokens the share of `of`, if that is less. */
export interface Share extends Size {
  readonly of: number;
  /** Most tokens of a note, and those that words may take in addition, by the room for messages. */
  readonly note: number;
  readonly words: (room: number) => number;
}

/** A copy for a strategy, whose code may be anybody's. No spread, which would ask for `working`. */
export function copyBudget(budget: Budget): Budget {
  const { max, target, history, rates } = budget;
  const copy: Budget = Object.defineProperties({} as Budget, Object.getOwnPropertyDescriptors(budget));
  return Object.assign(copy, { max: { ...max }, target: { ...target }, history: { ...history }, rates: { ...rates } });
}
