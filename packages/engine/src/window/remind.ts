import { originalAt } from '../history/recall.ts';
import type { NewReminder } from '../reminders/new-reminder.ts';
import { type Budget, exceeds } from '../size/budget.ts';
import { overLimits } from '../size/media-limits.ts';
import { NO_LOAD, tokensOf } from '../size/tokens.ts';
import type { Abortable } from '../summaries/summaries.ts';
import { cutsAt } from '../view/mask.ts';
import { sizeOf, viewLoad } from '../view/view.ts';
import { remindTurn } from '../view/view-turn.ts';
import type { Core } from './core.ts';
import { isDue } from './is-due.ts';

/**
 * A reminder may take this many tokens, and this share of what the budget leaves or of what was folded, whichever is less: near
 * the end of the budget, it would bring the next fold closer. Measured: docs/decisions/0034.
 */
const REMINDER_TOKENS = 3_000;
const REMINDER_SHARE = 0.13;
/** Near the end of the budget, it may take this share of all room for messages. */
const LEAST_SHARE = 0.02;

/**
 * Adds to the newest message the folded lines of the files and things that it is about. Undefined if no line is missing, or
 * there is no place or room for them, or the caller gives up first. Lines that the archive has lost do not come back.
 */
export async function addReminder<M>(
  core: Core<M>,
  budget: Budget,
  signal?: Abortable,
): Promise<NewReminder | undefined> {
  const { memory, calibration } = core;
  const { dialect } = core.format;
  const { turns } = memory.view;
  const newest = turns.at(-1);
  const { reminders } = core.parts;
  if (!reminders || !core.config.reminders || memory.log.length === 0 || !newest || newest.reminder) return undefined;
  const at = newest.from + newest.messages.length - 1;
  if (at !== memory.seen - 1 || cutsAt(newest, at)) return undefined;
  const size = sizeOf(memory.load, budget, calibration);
  const most = Math.min(budget.max.tokens, budget.limit);
  const folded = budget.history.tokens - size.tokens;
  const share = Math.min(...core.strategies.map(({ reminder_share = REMINDER_SHARE }) => reminder_share));
  const left = most - size.tokens;
  const fair = Math.min(folded * share, Math.max(left * share, (most - budget.reserve) * LEAST_SHARE));
  const room = Math.min(REMINDER_TOKENS, left, fair) / calibration.slope;
  const original = (index: number) => originalAt(core.archive, memory, index).catch(() => undefined);
  const shown = await unlessAborted(reminders.missingLines(dialect, memory, original, room), signal);
  if (!shown?.length) return undefined;
  const reminded = remindTurn(dialect, newest, { at, text: reminders.reminderText(shown) });
  const { reminder } = reminded;
  const view = { ...memory.view, turns: [...turns.slice(0, -1), reminded] };
  const load = viewLoad(view);
  const larger = sizeOf(load, budget, calibration);
  const isTooLarge = exceeds(larger, { ...budget.max, tokens: most }) || overLimits(load, dialect.limits) !== '';
  if (!reminder || isTooLarge || isDue(core.strategies, larger, budget)) return undefined;
  core.memory = { ...memory, view, load };
  const tokens = tokensOf({ ...NO_LOAD, chars: reminder.chars }, calibration);
  const handles = shown.flatMap(({ handle }) => handle ?? []);
  const about = [...new Set(shown.map((one) => one.about))];
  const added = { at, text: reminder.text, about, handles, tokens };
  core.emit({ type: 'reminder-add', ...added });
  return added;
}

/** The value of the promise, or undefined if the caller gives up first. */
function unlessAborted<T>(made: Promise<T>, signal: Abortable | undefined): Promise<T | undefined> {
  let stop = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  signal?.addEventListener?.('abort', stop);
  if (signal?.aborted) stop();
  return Promise.race([made, stopped]).finally(() => signal?.removeEventListener?.('abort', stop));
}
