import type { Dialect } from '../dialect.ts';
import { isHoldfastError } from '../errors.ts';
import { checkMessages } from '../turns/read-turns.ts';
import type { Conversation, FixtureStep } from './conversations.ts';
import type { Fixture } from './fixture.ts';
import type { WindowRun } from './window-runs.ts';

/** The dialect under test, and what it is tested with. */
export interface Subject<M> {
  readonly dialect: Dialect<M>;
  readonly fixture: Fixture<M>;
  readonly conversations: readonly Conversation<M>[];
  /** Windows over these conversations at many budgets, made once. */
  runs(): Promise<readonly WindowRun<M>[]>;
}

/** One requirement for a dialect. `check` yields each problem with its place; nothing if the requirement is met. */
export interface Demand {
  readonly name: string;
  /** What to change in the dialect. */
  readonly fix: string;
  check<M>(subject: Subject<M>): Iterable<string> | AsyncIterable<string>;
}

/** Everything said in all conversations, with a description of its place. */
export function* eachSaid<M>({
  conversations,
}: Subject<M>): Generator<{ readonly said: FixtureStep<M>; readonly place: string }> {
  for (const { seed, said: list } of conversations) {
    for (const said of list) yield { said, place: `conversation ${seed}, message ${said.at}` };
  }
}

/** Every message of all conversations, with a description of its place. */
export function* eachMessage<M>(
  subject: Subject<M>,
): Generator<{ readonly message: M; readonly place: string; readonly said: FixtureStep<M> }> {
  for (const { seed, said: list } of subject.conversations) {
    for (const said of list) {
      for (const [i, message] of said.messages.entries())
        yield { message, said, place: `conversation ${seed}, message ${said.at + i}` };
    }
  }
}

/** Why a request with these messages would be refused; undefined if it is valid. */
export function refusal<M>(dialect: Dialect<M>, messages: readonly M[]): string | undefined {
  try {
    checkMessages(dialect, messages);
    return undefined;
  } catch (error) {
    if (isHoldfastError(error)) return error.message;
    throw error;
  }
}
