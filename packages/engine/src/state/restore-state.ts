import type { Dialect } from '../dialect.ts';
import { plainJson } from '../json/plain.ts';
import { readMessages } from '../turns/read-turns.ts';
import { viewMessages, viewOf } from '../view/view.ts';
import { type Reminder, remindTurns, unthinkTurn, viewTurnsOf } from '../view/view-turn.ts';
import { enact, keptTurns, type WindowState } from './state.ts';

export { withoutNewest } from './state.ts';

/** A state without its view, for a log: `turns` cover the first `told` messages; all later ones are in the view as they arrived. */
export interface BareState extends Omit<WindowState, 'view'> {
  readonly told: number;
  /** Reminders added since `turns` were recorded. */
  readonly reminders?: readonly Reminder[];
}

/** The state with its view, rebuilt from the history: `original` returns the message at an index. */
export async function restoreState<M>(
  dialect: Dialect<M>,
  bare: BareState,
  original: (index: number) => M | Promise<M>,
): Promise<WindowState<M>> {
  const { told: upTo, reminders = [], ...state } = bare;
  const newest = state.log.at(-1);
  const { covered = 0, head = 0, note } = newest ?? {};
  const last = state.turns.at(-1);
  // The next message may have joined the last turn.
  const isOpen = last && last.from >= covered && !last.cuts && !last.unthought;
  const kept = isOpen ? state.turns.slice(0, -1) : state.turns;
  const told = isOpen ? last.from : upTo;
  const history: M[] = new Array(state.seen);
  for (const { from, count } of [...kept, { from: told, count: state.seen - told }])
    for (let i = from; i < from + count; i++) history[i] = await original(i);
  const { turns } = enact({ dialect, revisions: state.revisions }, history, { kept, head });
  const isBare = ({ from }: { readonly from: number }) => dialect.thinking === 'bound' && from < (state.bareTo ?? 0);
  const later = viewTurnsOf(dialect, readMessages(dialect, history, told, told)).flatMap(
    (turn) => (isBare(turn) ? unthinkTurn(dialect, turn) : turn) ?? [],
  );
  const own = isOpen && last.reminder ? [last.reminder] : [];
  const all = remindTurns(dialect, [...turns, ...later], [...own, ...reminders]);
  const view = viewMessages(viewOf(dialect, all, head, note)).map(plainJson) as M[];
  return { ...state, view, turns: keptTurns(all) };
}
