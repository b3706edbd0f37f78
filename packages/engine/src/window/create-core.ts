import { type ConversationHistoryConfig, resolveConfig } from '../config.ts';
import type { Handles } from '../dialect.ts';
import { HoldfastError } from '../errors.ts';
import { isScope, withScope } from '../handles/handles.ts';
import { emptyMemory, restoreMemory } from '../history/memory.ts';
import { frozen } from '../json/plain.ts';
import { isRecord } from '../json/record.ts';
import { UNCALIBRATED } from '../size/tokens.ts';
import { ownArchive } from '../state/archive.ts';
import { checkState, type WindowState } from '../state/state.ts';
import { readerOf } from '../statements/statements.ts';
import { idleKeys, strategiesOf, targetOf } from '../strategies/index.ts';
import type { SummaryStyle } from '../summaries/fold-summaries.ts';
import type { Core } from './core.ts';
import { dialectsOf, namedFormat, stateFormat } from './dialect.ts';
import type { CachePrices, CoreParts, WindowEvent } from './parts.ts';

export const DEFAULT_SUMMARY: SummaryStyle = { sections: false, max_tokens: 1_024 };

/** Everything behind a window, as it was if there is a state. Throws BAD_CONFIG or BAD_STATE. */
export function createCore<M>(given: ConversationHistoryConfig, parts: CoreParts<M>): Core<M> {
  const { dialect, languages, state, summarizer, tokens, handles, logger = consoleLogger() } = parts;
  const { reminders, repair, summaries } = parts;
  checkParts(given, parts);
  const scope = scopeOf(handles);
  const bounds = boundsOf(given);
  const { summarize_on_trim, summary_max_tokens, summarization_model, summary_timeout_ms } = bounds.config;
  const warn = (message: string) => logger.warn(message);
  const emit = emitter(parts.onEvent, warn);
  const own = bounds.strategies.find(({ summary }) => summary)?.summary;
  const wanted = summarizer && (summarize_on_trim ?? own !== undefined) ? summarizer : undefined;
  const style = own ?? DEFAULT_SUMMARY;
  const max_tokens = summary_max_tokens || style.max_tokens;
  const asked = wanted && { summarizer: wanted, model: summarization_model, timeout: summary_timeout_ms };
  let isFullWarned = false;
  const core: Core<M> = {
    ...bounds,
    reader: readerOf(languages),
    parts: { ...(reminders ? { reminders } : {}), ...(repair ? { repair } : {}), ...(summaries ? { summaries } : {}) },
    dialects: dialectsOf(dialect),
    summaries: asked && summaries?.forFolds(asked, { ...style, max_tokens }, emit, warn),
    summaryTokens: asked ? max_tokens : 0,
    writePrice: writePriceOf(parts.prices),
    archive: parts.archive ?? ownArchive<M>(),
    warn,
    warnFull(means) {
      const { max_messages: max, preserve_first_n: first, preserve_last_n: last } = core.config;
      if (!isFullWarned)
        warn(`preserve_first_n + preserve_last_n (${first} + ${last}) reach max_messages (${max}): ${means}`);
      isFullWarned = true;
    },
    tailGiven: given?.preserve_last_n !== undefined,
    emit,
    named: !Array.isArray(dialect),
    tokens,
    handles,
    format: namedFormat(dialect, parts),
    memory: emptyMemory(withScope([], 0, scope)),
    calibration: UNCALIBRATED,
    uncommitted: undefined,
  };
  if (state !== undefined) {
    restore(core, state);
    const { revisions, seen } = core.memory;
    core.memory = { ...core.memory, revisions: withScope(revisions, seen, scope) };
  }
  // A restored window had these warnings when it was new.
  for (const [key, name] of state === undefined ? idleKeys(core.config.strategy, given ?? {}) : [])
    warn(`${key} does nothing without strategy: ${name}`);
  if (state === undefined && given?.max_messages !== undefined && given.max_conversation_messages !== undefined)
    warn('max_messages overrides max_conversation_messages: remove one of them');
  if (summarize_on_trim && !summarizer)
    warn('summarize_on_trim: there is no parts.summarizer, so notes have the digest instead');
  return core;
}

/** Replaces the conversation by the one in this state. Throws BAD_STATE. */
export function restore<M>(core: Core<M>, state: WindowState<M>): void {
  checkState(state, core.dialects, core.named ? core.format.dialect.name : undefined);
  if (!core.named) core.format = stateFormat(core.dialects, state, core, core.format.certain);
  core.memory = restoreMemory(core.format.dialect, state);
  core.calibration = frozen(state.calibration);
}

/** Throws BAD_CONFIG for something wanted whose part is missing. */
function checkParts<M>(given: ConversationHistoryConfig, parts: CoreParts<M>): void {
  const { languages, reminders, repair, summaries, summarizer } = parts;
  if (!Array.isArray(languages)) throw missing('languages', 'a list of languages, such as english');
  if (given?.repair && !repair) throw missing('repair', 'parts.repair for repair: true');
  if (given?.reminders && !reminders) throw missing('reminders', 'parts.reminders for reminders: true');
  if (summarizer && !summaries) throw missing('summaries', 'parts.summaries for a summarizer');
}

/** The error for a part that the window needs and does not have. */
export function missing(key: string, expected: string): HoldfastError {
  return new HoldfastError('BAD_CONFIG', `${key}: expected ${expected}`, { key });
}

/** The configuration, its strategies, and the share of the budget that a fold goes down to. Throws BAD_CONFIG. */
export function boundsOf(given: ConversationHistoryConfig): Pick<Core<never>, 'config' | 'strategies' | 'share'> {
  const config = resolveConfig(given);
  const strategies = strategiesOf(config);
  const { target } = config;
  const share = { ...targetOf(strategies), ...(target === undefined ? {} : { messages: target, tokens: target }) };
  return { config, strategies, share };
}

/** Errors of a listener do not stop the window: they become warnings. */
function emitter(listener: ((event: WindowEvent) => unknown) | undefined, warn: (message: string) => void) {
  return (event: WindowEvent) => {
    const failed = (error: unknown) => warn(`onEvent threw on ${event.type}: ${String(error)}`);
    try {
      const answer = listener?.(event);
      if (isRecord(answer) && typeof answer.then === 'function') answer.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  };
}

/** Characters of `how`: every note repeats it. */
const MOST_HOW = 400;

/** The scope of new handles. Throws BAD_CONFIG. */
function scopeOf(handles: Handles | undefined): string | undefined {
  if (handles === undefined || typeof handles === 'boolean') return undefined;
  const wrong = (key: string, expected: string) =>
    new HoldfastError('BAD_CONFIG', `${key}: expected ${expected}`, { key });
  if (!isRecord(handles)) throw wrong('handles', 'true, false or { scope, how }');
  const { scope, how = '' } = handles as Exclude<Handles, boolean>;
  if (scope !== undefined && !isScope(scope)) throw wrong('handles.scope', '1 to 40 letters, digits, _ or -');
  if (typeof how !== 'string' || how.length > MOST_HOW)
    throw wrong('handles.how', `a text of at most ${MOST_HOW} characters`);
  return scope;
}

/** What writing a token to the cache costs, in tokens read from it. Throws BAD_CONFIG. */
function writePriceOf(prices: CachePrices | undefined): number {
  const { write, read } = prices ?? { write: 1.25, read: 0.1 };
  if (write > 0 && read >= 0) return write / read;
  const wrong = `prices: expected write above 0 and read of 0 or more, not ${write} and ${read}`;
  throw new HoldfastError('BAD_CONFIG', wrong, { key: 'prices' });
}

function consoleLogger(): { warn(message: string): void } {
  const { console } = globalThis as { console?: { warn(message: string): void } };
  return { warn: (message) => console?.warn(message) };
}
