import type { Moment, PlacedMessage, SessionStore, WireMessage } from '@holdfast/sessions';
import type { Dialect } from 'holdfast';
import type { HistoryMessage, MessagePage } from '../api/types.ts';
import { callNames, readMessage } from '../data/message-parts.ts';
import type { ShapedView } from '../data/shaped-view.ts';

export interface PageOptions {
  readonly from: number;
  readonly limit: number;
  readonly full: boolean;
}

/** A page of the history at a moment, each message with its fate in the view of that moment. */
export async function messagePage(
  store: SessionStore,
  session: string,
  { at, view, dialect }: { readonly at: Moment; readonly view: ShapedView; readonly dialect: Dialect<WireMessage> },
  { from, limit, full }: PageOptions,
): Promise<MessagePage> {
  const { items, next } = await store.history(session, { from, limit, at });
  // The message before may have the calls whose results come first.
  const before = from === 0 ? [] : (await store.history(session, { from: from - 1, limit: 1, at })).items;
  const names = callNames(
    dialect,
    [...before, ...items].map(({ message }) => message),
  );
  const reminders = new Map(view.reminders.map(({ index, text }) => [index, text]));
  const messages = items.map((placed): HistoryMessage => {
    const { index } = placed;
    const changed = view.changed(index);
    const reminder = reminders.get(index);
    return {
      ...plainMessage(dialect, placed, { full, names }),
      ...(view.pins.includes(index) ? { pinned: true as const } : {}),
      fate: view.fate(index),
      ...(changed ? { view: readMessage(dialect, changed, { full, names }).parts } : {}),
      ...(reminder === undefined ? {} : { reminder }),
    };
  });
  return { messages, total: at.messages, ...(next === undefined ? {} : { next }) };
}

/** A message without its fate. Pure. */
export function plainMessage(
  dialect: Dialect<WireMessage>,
  { index, handle, time, message }: PlacedMessage,
  options: Parameters<typeof readMessage>[2],
): Omit<HistoryMessage, 'fate' | 'view' | 'pinned'> {
  return { index, handle, time, ...readMessage(dialect, message, options) };
}
