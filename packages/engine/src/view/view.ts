import type { Dialect, Reading } from '../dialect.ts';
import { type Budget, exceeds, type Size } from '../size/budget.ts';
import { overLimits } from '../size/media-limits.ts';
import { addLoads, type Calibration, type Load, NO_LOAD, tokensOf } from '../size/tokens.ts';
import type { Distant } from './distant.ts';
import type { ViewTurn } from './view-turn.ts';
import { noteText, type WrittenNote } from './written-note.ts';

/** The message that replaces what was folded. */
export interface Note<M> {
  readonly message: M;
  readonly reading: Reading;
  readonly written: WrittenNote;
  readonly text: string;
}

/** The turns that are sent, in order, with the note after the first `head` of them. */
export interface View<M> {
  readonly turns: readonly ViewTurn<M>[];
  readonly head: number;
  readonly note?: Note<M>;
  /** Turns that are not among `turns`, because the fold to come drops them. Only before the first fold. */
  readonly distant?: Distant<M>;
}

/** The view with its distant turns, if it has any. Pure. */
export function wholeView<M>(view: View<M>): View<M> {
  const { distant, ...rest } = view;
  return distant ? { ...rest, turns: distant.all() } : view;
}

/** The assistant's if the user speaks next or a system message precedes it, else the user's; never the system's. */
function noteOf<M>(dialect: Dialect<M>, written: WrittenNote, before?: ViewTurn<M>, next?: ViewTurn<M>): Note<M> {
  const text = noteText(written);
  const mustFollow = before?.asks || dialect.systemInside === 'after-user';
  const instructed = mustFollow && before?.readings.at(-1)?.role === 'system';
  // Every view shares it, so it must not change.
  const message = Object.freeze(dialect.note(next?.asks || instructed ? 'assistant' : 'user', text));
  return { message, reading: dialect.read(message), written, text };
}

export function viewOf<M>(
  dialect: Dialect<M>,
  turns: readonly ViewTurn<M>[],
  head: number,
  note?: WrittenNote,
): View<M> {
  if (note === undefined) return { turns, head };
  return { turns, head, note: noteOf(dialect, note, turns[head - 1], turns[head]) };
}

/** The messages of a view without reminders, in order. With `most`, it stops after the turn that reaches that many. */
export function viewMessages<M>({ turns, head, note }: View<M>, most = Number.POSITIVE_INFINITY): M[] {
  const messages: M[] = [];
  for (let i = 0; i < turns.length && messages.length < most; i++) {
    if (i === head && note) messages.push(note.message);
    for (const message of (turns[i] as ViewTurn<M>).messages) messages.push(message);
  }
  return messages;
}

export function noteLoad<M>(note: Note<M> | undefined): Load {
  return note ? { ...NO_LOAD, messages: 1, chars: note.reading.chars } : NO_LOAD;
}

export function viewLoad<M>(view: View<M>): Load {
  return addLoads(noteLoad(view.note), view.turns);
}

/** The size of a request with this load of messages. */
export function sizeOf(load: Load, budget: Budget, calibration: Calibration): Size {
  return { messages: load.messages, tokens: budget.reserve + tokensOf(load, calibration) };
}

/** True if a view of this load exceeds the budget or the provider's limits. */
export function isTooMuch<M>({ limits }: Dialect<M>, load: Load, budget: Budget, calibration: Calibration): boolean {
  return exceeds(sizeOf(load, budget, calibration), budget.max) || overLimits(load, limits) !== '';
}

/** How many cache markers a request may carry. */
const MARKERS = 4;

/** The reminders of a view by the place of their message in it. */
function reminderTexts<M>({ turns, head, note }: View<M>): Map<number, string> {
  const texts = new Map<number, string>();
  let place = 0;
  turns.forEach(({ from, messages, reminder }, i) => {
    if (i === head && note) place++;
    if (reminder) texts.set(place + reminder.at - from, reminder.text);
    place += messages.length;
  });
  return texts;
}

/**
 * The messages of a view with their reminders, and with only as many of the caller's newest cache markers as a request may
 * carry.
 */
export function sendable<M>(dialect: Dialect<M>, view: View<M>): M[] {
  const messages = viewMessages(view);
  for (const [place, text] of reminderTexts(view)) {
    const message = messages[place] as M;
    messages[place] = dialect.append?.(message, text) ?? message;
  }
  let spare = -MARKERS;
  for (const turn of view.turns) spare += turn.markers;
  for (let i = 0; i < messages.length && spare > 0; i++) {
    const message = messages[i] as M;
    const { markers } = dialect.read(message);
    if (markers > 0) messages[i] = dialect.withMarkers(message, Math.max(0, markers - spare));
    spare -= markers;
  }
  return messages;
}

/** The first index at which two views differ. */
export function firstDifference<M>(before: View<M>, after: View<M>): number {
  const b = viewMessages(after);
  const a = viewMessages(before, b.length);
  const [was, is] = [reminderTexts(before), reminderTexts(after)];
  let i = 0;
  while (i < a.length && a[i] === b[i] && was.get(i) === is.get(i)) i++;
  // Whatever is before the first distant turn is in the view, so its place there is the same as in the history.
  return Math.min(i, before.distant?.turns[0]?.from ?? i);
}
