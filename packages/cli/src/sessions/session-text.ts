import { messageText, type SessionInfo, type WireMessage } from '@holdfast/sessions';
import { counted, money, tokens } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import type { Colours } from '../view/colours.ts';
import { tableText } from '../view/table.ts';
import { cut } from '../view/text.ts';

/** How long ago: `now`, `5m`, `3h`, `12d`. Pure. */
export function age(time: number, now: number): string {
  const minutes = Math.max(0, now - time) / 60_000;
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${Math.floor(minutes)}m`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1_440)}d`;
}

/** `640 B`, `18.4 kB`, `1.2 MB`. Pure. */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}

/** A table of sessions that fits a terminal of `columns`. Pure. */
export function tableOf(
  sessions: readonly SessionInfo[],
  now: number,
  paint: Colours,
  columns?: number | undefined,
): string {
  const column = (head: string, cell: (session: SessionInfo) => string, drop?: number) => ({
    head,
    cells: sessions.map(cell),
    ...(drop === undefined ? {} : { drop }),
  });
  const all = [
    column('id', ({ id }) => id),
    column('kind', ({ kind = 'chat' }) => kind),
    column('used', ({ updated }) => age(updated, now)),
    column('messages', ({ messages }) => String(messages), 2),
    column('tokens', ({ tokens: used }) => tokens(used), 1),
    column('size', ({ bytes: size }) => bytes(size), 3),
    column('title', ({ title }) => clean(title)),
  ];
  return tableText(all, columns, paint);
}

/** The details of one session, line by line. Pure. */
export function detailsOf(info: SessionInfo, now: number): string[] {
  const { id, title, created, updated, last, messages, folds, bytes: size, tokens: used, cost, provider, model } = info;
  const { kind = 'chat' } = info;
  const day = (time: number) => new Date(time).toISOString().replace('T', ' ').slice(0, 16);
  return [
    `session   ${id}`,
    `kind      ${kind}`,
    `title     ${clean(title) || '(none)'}`,
    `created   ${day(created)}`,
    `updated   ${day(updated)} (${age(updated, now)})`,
    `size      ${counted(messages, 'message')}, ${counted(folds, 'fold')}, ${last} entries, ${bytes(size)}`,
    `used      ${tokens(used)} tokens, ${money(cost)}`,
    ...(model === undefined ? [] : [`model     ${clean(model)} (${clean(provider ?? '')})`]),
  ];
}

/** A message as lines that cannot affect a terminal. Pure. */
export function messageLines(message: WireMessage, full: boolean): string[] {
  return textLines(messageText(message), full);
}

/** A text as lines that cannot affect a terminal; the first three unless `full`. Pure. */
export function textLines(text: string, full: boolean): string[] {
  const lines = text.split('\n').map(clean);
  if (full) return lines;
  const some = lines.filter((line) => line.trim() !== '');
  return [
    ...some.slice(0, 3).map((line) => cut(line, 160)),
    ...(some.length > 3 ? [`… ${some.length - 3} more lines`] : []),
  ];
}

/** The role of a message, in any wire format. Pure. */
export function speakerOf({ role, type }: WireMessage): string {
  return clean(String(role ?? type ?? 'message'));
}
