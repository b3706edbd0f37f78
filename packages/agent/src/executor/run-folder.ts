import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { maskForLog, type SessionEntry, type SessionStore, type WireMessage } from '@holdfast/sessions';
import { HoldfastError, handleTarget } from 'holdfast';
import { NO_CALLS } from '../loop/open-calls.ts';
import type { SavedConversation } from '../loop/saved.ts';
import type { Checkpoint } from '../providers/provider.ts';
import { messageOf } from '../tools/failure.ts';
import type { Outcome } from '../tools/options.ts';
import { hasStarted, renamedFields, type SavedRun, workOf } from './run-log.ts';

/** A run folder's file in version 0.1: the run in the first line, then what was added to it. */
export const RUN_FILE = 'run.jsonl';

interface OldRun extends Omit<SavedRun, 'openResults'> {
  readonly version: 1;
  readonly conversationState?: unknown;
}

type OldLine =
  | Exclude<Checkpoint, { readonly type: 'state' }>
  | { readonly type: 'outcome'; readonly outcome: Outcome };

/**
 * Reads a run folder of version 0.1 into a session of this id, whole or not at all. Throws BAD_STATE if it is damaged, STORE_CONFLICT if the
 * id is taken.
 */
export async function importRunFolder(store: SessionStore, folder: string, id: string): Promise<string> {
  const { run: old, lines } = readOld(folder);
  const { version: _, conversationState, ...run } = old;
  const [, title = id] = /^# TASK: (.+)$/m.exec(run.prompt) ?? [];
  const { entries, open } = isConversation(conversationState)
    ? conversationEntries(conversationState, folder, run, lines)
    : { entries: ownEntries(conversationState, run), open: 0 };
  const results = lines.filter(({ type }) => type === 'result').length;
  const said = lines.findLast((line) => line.type === 'outcome');
  const outcome = said?.outcome ?? run.outcome;
  const change: SavedRun = {
    ...run,
    ...(outcome ? { outcome } : {}),
    calls: run.calls + workOf(results, said?.outcome),
    openResults: open,
    totals: { ...run.totals, calls: run.totals.calls + results },
  };
  const all: SessionEntry[] = [...entries, usedEntry(run), { type: 'run', change: { ...change } }];
  const kept = store.mask_keys ? all.map((entry) => maskForLog(entry)) : all;
  if (await hasStarted(store, { id, title }, kept)) return id;
  throw new HoldfastError('STORE_CONFLICT', `session ${id} already exists: choose another id`, { session: id });
}

function readOld(folder: string): { readonly run: OldRun; readonly lines: readonly OldLine[] } {
  const [run, ...lines] = linesIn(folder, RUN_FILE) as [OldRun | undefined, ...OldLine[]];
  if (run?.version === 1) return { run: renamedFields({ ...run }) as unknown as OldRun, lines };
  throw damaged(join(folder, RUN_FILE), `version ${String(run?.version)} is not 1`);
}

/** A last line without an end belongs to a process that was killed while it wrote. */
function linesIn(folder: string, name: string): unknown[] {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.flatMap((line, at): unknown[] => {
    try {
      return line === '' ? [] : [JSON.parse(line)];
    } catch (error) {
      throw damaged(`line ${at + 1} of ${path}`, messageOf(error));
    }
  });
}

function damaged(place: string, problem: string): HoldfastError {
  const text = `${place} cannot be read (${problem}): restore the file from a backup, or start the task again, without --resume`;
  return new HoldfastError('BAD_STATE', text);
}

function isConversation(state: unknown): state is SavedConversation<WireMessage> {
  return typeof state === 'object' && state !== null && 'window' in state && 'pending' in state;
}

function usedEntry({ totals }: Pick<OldRun, 'totals'>): SessionEntry {
  const { inputTokens: input, outputTokens: output, cacheReadTokens, cacheWriteTokens } = totals.tokenUsage;
  const tokens = { input, output, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens };
  return { type: 'usage', tokens, ...(totals.cost ? { cost: totals.cost.spent } : {}) };
}

function modelEntry({ provider, speaker }: Pick<OldRun, 'provider' | 'speaker'>, dialect: string): SessionEntry {
  return { type: 'model', provider, model: speaker?.model ?? 'unknown', dialect };
}

/** For a program that keeps its own conversation: the state to resume from. */
function ownEntries(state: unknown, run: Pick<OldRun, 'provider' | 'speaker'>): SessionEntry[] {
  if (state === undefined) return [];
  return [modelEntry(run, 'openai-chat'), { type: 'usage', tokens: { input: 0, output: 0 }, state }];
}

/** The whole history. The next request folds it again: the folds of the old window are not carried over. */
function conversationEntries(
  saved: SavedConversation<WireMessage>,
  folder: string,
  run: Pick<OldRun, 'provider' | 'speaker'>,
  lines: readonly OldLine[],
): { readonly entries: SessionEntry[]; readonly open: number } {
  const { window, pending, open = NO_CALLS } = saved;
  const messages = [...(wholeHistory(window, folder) ?? window.view), ...pending];
  const entries: SessionEntry[] = [
    ...open.begun.map((begun) => ({ type: 'call', ...begun }) as const),
    ...open.results.map((result) => ({ type: 'result', ...result }) as const),
    ...lines.filter((line) => line.type !== 'outcome'),
  ];
  return {
    entries: [
      modelEntry(run, window.dialect),
      ...messages.map((message) => ({ type: 'message', message }) as const),
      ...window.pins.filter((index) => index < messages.length).map((index) => ({ type: 'pin', index }) as const),
      ...entries,
    ],
    open: entries.filter(({ type }) => type === 'result').length,
  };
}

/** All messages that the window has seen, from its view and the archive; undefined if one is missing. */
function wholeHistory(window: SavedConversation<WireMessage>['window'], folder: string): WireMessage[] | undefined {
  const found = new Map<number, WireMessage>();
  for (const line of linesIn(folder, 'archive.jsonl') as { handle: string; message: WireMessage }[])
    found.set(handleTarget(line.handle)?.index ?? -1, line.message);
  const { head = 0, note } = window.log.at(-1) ?? {};
  let at = 0;
  for (const [place, { from, count }] of window.turns.entries()) {
    if (note !== undefined && place === head) at++;
    for (let i = 0; i < count; i++, at++) {
      const message = window.view[at];
      if (message && !found.has(from + i)) found.set(from + i, message);
    }
  }
  const all = Array.from({ length: window.seen }, (_, index) => found.get(index));
  return all.every((message) => message !== undefined) && window.eras.length === 0 ? all : undefined;
}
