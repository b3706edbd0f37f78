import { type Fitted, HoldfastError, hashMessage } from 'holdfast';
import type { ConversationCore } from './core.ts';
import { commonWith, takesOver } from './identity.ts';
import type { GivenHistory, KeptView } from './parts.ts';
import { isConflict, storeProblem } from './problems.ts';
import { withoutThinking } from './thinking.ts';

/**
 * The view of a history, of whose first messages at most `most` are those of this conversation. With `forks`, a history that
 * the window finds changed in front of an answer of the model gets none but the place: the conversation has to be refreshed.
 */
export async function fitGiven<M>(
  core: ConversationCore<M>,
  history: GivenHistory<M>,
  sketches: readonly string[],
  { most = Number.POSITIVE_INFINITY, forks = false } = {},
): Promise<Fitted<M> | { readonly changed: number }> {
  await makeCut(core);
  explain(core, history.recall);
  // Thinking after the user's last words may be required.
  if (history.once && core.sketches.length === 0)
    core.bare = history.messages.findLastIndex((message) => core.parts.dialect.read(message).role === 'user');
  const common = Math.min(most, commonWith(core.sketches, sketches));
  if (common < core.sketches.length) await goBack(core, common);
  const fitted = await fitOnce(core, history);
  const changed = core.changed ?? changeInPending(core, history.messages);
  if (changed === undefined) return fitted;
  if (forks && core.isStored && !takesOver({ track: core, common: changed })) return { changed };
  await goBack(core, changed);
  return fitOnce(core, history);
}

/** Adopts the history and stores what is new, if it has a log or gets one now. A lenient one goes on without its store. */
export async function keepGiven<M>(
  core: ConversationCore<M>,
  history: GivenHistory<M>,
  sketches: readonly string[],
  fitted: Fitted<M>,
): Promise<KeptView<M>> {
  const isDue = core.log && (core.isStrict || core.isStored || core.folds > 0);
  const kept = isDue ? await keepStored(core, history, fitted) : { fitted };
  core.sketches = sketches;
  core.pending = [];
  core.note(kept.fitted, history.messages.length);
  return kept;
}

/** The last view without its cache markers, and whatever these messages add to it, unchecked. */
export function lastView<M>(core: ConversationCore<M>, messages: readonly M[]): readonly M[] {
  if (!core.view || core.folds === 0) return messages;
  // The client has moved its markers, and a request may carry only so many.
  const bare = core.view.messages.map((message) => core.parts.dialect.withMarkers(message, 0));
  return [...bare, ...messages.slice(core.view.seen)];
}

/** Sets what notes say about recall. A window has it from its start, so an open one starts again from its state. */
function explain<M>(core: ConversationCore<M>, recall: string | false | undefined): void {
  if (recall === core.recall) return;
  core.recall = recall;
  core.reopen();
}

/** Goes back to the first messages, also in the log; while a lenient one has no store, the window finds the change itself. */
async function goBack<M>(core: ConversationCore<M>, messages: number): Promise<void> {
  core.bare = Math.min(core.bare, messages);
  if (!core.log?.exists) return core.load({});
  try {
    await core.log.rewind(messages);
    await core.refresh();
  } catch (error) {
    if (core.isStrict || isConflict(error)) throw error;
    core.log.cut(messages);
  }
}

/** Does in the log what the history changed while the store was away. */
async function makeCut<M>(core: ConversationCore<M>): Promise<void> {
  try {
    if (await core.log?.makeCut()) await core.refresh();
  } catch (error) {
    if (isConflict(error)) throw error;
  }
}

async function fitOnce<M>(core: ConversationCore<M>, { messages, bounds: given }: GivenHistory<M>): Promise<Fitted<M>> {
  const window = core.opened();
  if (given) {
    const { first_reserve = 0, ...bounds } = given;
    const isMeasured = window.calibration.fixed !== undefined;
    window.resize(isMeasured ? bounds : { ...bounds, reserve: Math.max(bounds.reserve, first_reserve) });
  }
  [core.changed, core.before] = [undefined, undefined];
  const bare = messages.slice(0, core.bare).map((message) => withoutThinking(core.parts.dialect, message));
  return window.fit(bare.length === 0 ? messages : [...bare, ...messages.slice(bare.length)]);
}

/** Where the history differs from messages that only the log has. */
function changeInPending<M>(core: ConversationCore<M>, messages: readonly M[]): number | undefined {
  const { dialect } = core.parts;
  const from = core.state.window?.seen ?? 0;
  const hash = (message: M | undefined) => message && hashMessage(dialect, withoutThinking(dialect, message));
  const at = core.pending.findIndex((message, i) => hash(message) !== hash(messages[from + i]));
  return at < 0 ? undefined : from + at;
}

async function keepStored<M>(
  core: ConversationCore<M>,
  { messages, model, ...how }: GivenHistory<M>,
  fitted: Fitted<M>,
): Promise<KeptView<M>> {
  const log = core.log;
  if (!log) return { fitted };
  try {
    if (log.isCut) throw new HoldfastError('BAD_STORE', 'the store was away when the history changed');
    const speaker = core.named === model ? undefined : core.modelEntry(model, log.messages);
    await log.write(messages, speaker, ...core.newsOf(fitted, true));
    core.named = model;
    if (core.isNameless) {
      core.isNameless = false;
      core.reopen();
    }
    return { fitted };
  } catch (error) {
    if (core.isStrict || isConflict(error)) {
      core.failure = error;
      throw error;
    }
    const view = core.before && !core.isNameless ? await nameless(core, { messages, model, ...how }) : fitted;
    log.owe(...core.newsOf(view, true));
    return { fitted: view, problem: storeProblem(error) };
  }
}

/** The same view, folded without names for originals that cannot be stored. */
async function nameless<M>(core: ConversationCore<M>, history: GivenHistory<M>): Promise<Fitted<M>> {
  core.isNameless = true;
  core.reopen(core.before);
  return fitOnce(core, history);
}
