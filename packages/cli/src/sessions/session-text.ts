import { messageText, type SessionInfo, type WireMessage } from '@holdfast/sessions';
import type { Context } from '../context.ts';
import { counted, money, tokens } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import type { Colours } from '../view/colours.ts';
import { type Column, tableLines } from '../view/table.ts';
import { cut, pad, wrapLine } from '../view/text.ts';

/** How long ago: `now`, `5m`, `3h`, `12d`. Pure. */
export function age(time: number, now: number): string {
  const minutes = Math.max(0, now - time) / 60_000;
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${Math.floor(minutes)}m`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1_440)}d`;
}

/** `just now`, `5m ago`. Pure. */
export function ago(time: number, now: number): string {
  const short = age(time, now);
  return short === 'now' ? 'just now' : `${short} ago`;
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
  const all: Column<SessionInfo>[] = [
    { head: 'id', cell: ({ id }) => id },
    { head: 'kind', cell: ({ kind = 'chat' }) => kind },
    { head: 'last used', cell: ({ updated }) => age(updated, now) },
    { head: 'messages', cell: ({ messages }) => String(messages), drop: 3 },
    { head: 'tokens used', cell: ({ tokens: used }) => tokens(used), drop: 2 },
    { head: 'cost', cell: ({ tokens: used, cost }) => (used > 0 && cost === 0 ? '-' : money(cost)), drop: 1 },
    { head: 'size', cell: ({ bytes: size }) => bytes(size), drop: 4 },
    { head: 'title', cell: ({ title }) => clean(title) },
  ];
  return tableLines(sessions, all, columns, paint).join('\n');
}

/** The details of one session, line by line. Pure. */
export function detailsOf(info: SessionInfo, now: number): string[] {
  return labelled(factsOf(info, now));
}

/** The details of one session, each with its label. Pure. */
export function factsOf(info: SessionInfo, now: number): (readonly [label: string, value: string])[] {
  const { id, kind = 'chat', last, messages, folds, bytes: size, tokens: used, cost, provider, model } = info;
  return [
    ['session', id],
    ['kind', kind],
    ['title', clean(info.title) || '(none)'],
    ...times(info, now),
    ['length', `${counted(messages, 'message')}, ${counted(folds, 'fold')}`],
    ['on disk', `${bytes(size)}, ${last} log entries`],
    ['used', `${tokens(used)} tokens, ${money(cost)}`],
    ...(model === undefined ? [] : [['model', `${clean(model)} (${clean(provider ?? '')})`] as const]),
  ];
}

/** When a session or run was started and last used. Pure. */
export function times({ created, updated }: SessionInfo, now: number): (readonly [string, string])[] {
  const day = (time: number) => `${new Date(time).toISOString().replace('T', ' ').slice(0, 16)} UTC`;
  return [
    ['started', day(created)],
    ['last used', `${day(updated)} (${ago(updated, now)})`],
  ];
}

/** Labels and values, one pair a line. Pure. */
export function labelled(facts: readonly (readonly [label: string, value: string])[]): string[] {
  return facts.map(([label, value]) => `${pad(label, LABEL)}${value}`);
}

/** Columns of the labels of sessions and runs. */
export const LABEL = 11;

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

/** Prints lines below a heading, wrapped on a terminal. */
export function printIndented(lines: readonly string[], { columns, print }: Pick<Context, 'columns' | 'print'>): void {
  for (const line of lines) for (const row of columns ? wrapLine(line, columns - 2) : [line]) print(`  ${row}`);
}
