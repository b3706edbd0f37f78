import type { Dialect, FoldEntry, WindowState } from 'holdfast';
import { type BareState, restoreState, UNCALIBRATED } from 'holdfast/restore';
import { readUsage, type StoredEntry } from '../../entry.ts';
import { inconsistent } from '../../log/broken-entry.ts';
import { nextRevision } from '../../log/head.ts';
import {
  eachEntry,
  eachMessage,
  type Moment,
  type Page,
  type PlacedMessage,
  type SessionInfo,
  type SessionStore,
} from '../../store.ts';
import { type FoldChange, type FoldStack, NO_FOLDS, stackAfter } from './fold-stack.ts';
import { type LiveEntries, liveEntries } from './live-entries.ts';
import { scopedRevisions } from './scoped-revisions.ts';

/** How many folds a window can undo: its next fold forgets the older ones. */
const DEPTH = 8;

/** A conversation restored from a log, for a provider to resume. Bounded like the window's state. Plain JSON. */
export interface ConversationState<M> {
  readonly version: 1;
  /** Of model, system prompt and tools. */
  readonly fingerprint: string;
  /** How many of the view's first messages the last request had. */
  readonly shared: number;
  /** How many of the view's first messages were said under other fingerprints. */
  readonly stale?: number;
  /** For each fold that can be undone, by what it covered: the turns dropped up to it. */
  readonly dropped?: Readonly<Record<number, number>>;
  /** The limit that the API reported, if lower than the known one. */
  readonly limit?: number;
  /** Tokens of the whole history at the last request. */
  readonly historyTokens?: number;
  /** Messages since the last request, not in the window yet. */
  readonly pending: readonly M[];
  readonly window: WindowState<M>;
  /** Results of calls that no message answers yet: a process kept them before it ended. */
  readonly results?: readonly CallResult[];
  /** Calls that a process began, and that have no result yet. */
  readonly begun?: readonly BegunCall[];
}

/** A call that must not run twice, begun by a process that may have ended before it. */
export interface BegunCall {
  readonly id: string;
  readonly mark?: string;
}

/** The result of one tool call. */
export interface CallResult {
  readonly id: string;
  readonly text: string;
  readonly failed: boolean;
}

type Placed<T> = T & { readonly seq: number };

/**
 * Restores a session's conversation, for a provider's `conversationState`: the window as the process that wrote it had it, with
 * folds, undone folds and pins. Reads only what the view needs, however long the session. `scope`: of the session's own
 * messages in handles; messages copied from another session keep the scopes that the newest fold recorded.
 */
export async function restoreConversation<M>(
  store: SessionStore,
  info: SessionInfo,
  dialect: Dialect<M>,
  { scope }: { readonly scope?: string } = {},
): Promise<ConversationState<M>> {
  const { id: session, last, messages } = info;
  const live = await liveEntries(store, session, last);
  const happened = await foldChanges(live);
  const { log: all, undone } = happened.reduce<FoldStack>(stackAfter, NO_FOLDS);
  const log = all.slice(-DEPTH);
  const final = happened.at(-1);
  const usage = await newestUsage(live);
  const { value: newest } = await live('model').next();
  const model: StoredEntry<'model'>['entry'] | undefined = newest?.entry;
  const top = log.at(-1);
  const told = (final && 'seen' in final ? final.seen : undefined) ?? top?.covered ?? 0;
  const turns = (final && 'turns' in final ? final.turns : undefined) ?? top?.kept ?? [];
  const bare: BareState = {
    version: 1,
    dialect: dialect.name,
    revisions:
      scope === undefined
        ? await revisionsOf(store, session, last)
        : await scopedRevisions(store, info, happened, scope),
    folds: final?.receipt?.fold ?? log.length,
    seen: Math.max(told, usage?.window?.seen ?? 0),
    log,
    undone,
    ...(final?.type === 'unfold' && final.hold ? { hold: final.hold } : {}),
    pins: await pinsOf(store, session, last),
    told,
    turns,
    reminders: await remindersSince(live, final?.seq ?? 0),
    calibration: usage?.window?.calibration ?? top?.calibration ?? UNCALIBRATED,
  };
  const at = { last, messages };
  const window = await restoreState(dialect, bare, await originals<M>(store, session, bare, at));
  const pending: M[] = [];
  for await (const { message } of eachMessage(store, session, bare.seen, at)) pending.push(message as M);
  const since = happened.filter(({ seq }) => seq > (usage?.seq ?? 0)).map(({ receipt }) => receipt?.changedFrom ?? 0);
  return {
    version: 1,
    fingerprint: model?.fingerprint ?? '',
    shared: Math.min(usage?.window?.sent ?? 0, ...since),
    stale: staleOf(window.turns, top, model?.from ?? 0),
    // One model's limit says nothing about another's.
    ...(usage?.window?.limit === undefined || usage.model !== model?.model ? {} : { limit: usage.window.limit }),
    historyTokens: usage ? readUsage(usage).historyTokens : 0,
    dropped: droppedBy(happened),
    ...(await openCalls(live)),
    pending,
    window,
  };
}

/** Calls begun and results kept after the newest message, by a process that ended before the message with all results. */
async function openCalls(live: LiveEntries) {
  const results: CallResult[] = [];
  const begun: BegunCall[] = [];
  for await (const { entry } of live('result', 'call', 'message')) {
    if (entry.type === 'message') break;
    const { type, ...rest } = entry;
    if (type === 'result') results.unshift(rest as CallResult);
    else begun.unshift(rest as BegunCall);
  }
  return { ...(results.length > 0 ? { results } : {}), ...(begun.length > 0 ? { begun } : {}) };
}

/** Changes to folds, oldest first, as far back as the newest folds in effect need. */
async function foldChanges(live: LiveEntries): Promise<Placed<FoldChange>[]> {
  const found: Placed<FoldChange>[] = [];
  let height = 0;
  for await (const { seq, entry } of live('fold', 'unfold', 'refold')) {
    found.push({ ...entry, seq });
    height += entry.type === 'unfold' ? -1 : 1;
    if (height >= DEPTH) break;
  }
  return found.reverse();
}

/** Reminders since this entry: a fold, undo or redo records those before it. */
async function remindersSince(live: LiveEntries, after: number) {
  const found: { readonly at: number; readonly text: string }[] = [];
  for await (const { seq, entry } of live('reminder')) {
    if (seq < after) break;
    found.unshift({ at: entry.at, text: entry.text });
  }
  return found;
}

/** The turns dropped up to each fold, by the messages it covers. */
function droppedBy(happened: readonly FoldChange[]): Record<number, number> {
  const sums: Record<number, number> = {};
  for (const entry of happened)
    if (entry.type === 'fold' && entry.dropped !== undefined) sums[entry.fold.covered] = entry.dropped;
  return sums;
}

async function newestUsage(live: LiveEntries) {
  for await (const { seq, entry } of live('usage')) if (entry.window) return { ...entry, seq };
  return undefined;
}

/** Pins in effect: a rewind removes those of the messages it removes. */
async function pinsOf(store: SessionStore, session: string, last: number): Promise<number[]> {
  const known = new Map<number, boolean>();
  let end = Number.POSITIVE_INFINITY;
  const types = ['pin', 'unpin', 'rewind'] as const;
  for await (const { entry } of eachEntry(store, session, { types, reverse: true, from: last })) {
    if (entry.type === 'rewind') end = Math.min(end, entry.to);
    else if (entry.index < end && !known.has(entry.index)) known.set(entry.index, entry.type === 'pin');
  }
  return [...known].flatMap(([index, isPinned]) => (isPinned ? [index] : [])).sort((a, b) => a - b);
}

/** Every rewind starts a revision, even one that was itself undone. */
async function revisionsOf(store: SessionStore, session: string, last: number): Promise<BareState['revisions']> {
  let revisions: BareState['revisions'] = [];
  for await (const { seq, entry } of eachEntry(store, session, { types: ['rewind'] }))
    if (seq <= last) revisions = nextRevision(revisions, entry.to);
  return revisions;
}

/** The messages of the view, read in as few pieces as possible. */
async function originals<M>(
  store: SessionStore,
  session: string,
  { turns, told, seen }: BareState,
  moment: Moment,
): Promise<(index: number) => M> {
  const kept = new Map<number, M>();
  const runs = [...turns, { from: told, count: seen - told }].filter(({ count }) => count > 0);
  for (let at = 0; at < runs.length; ) {
    let next: number | undefined = runs[at]?.from;
    let end = next ?? 0;
    while (runs[at]?.from === end) end += runs[at++]?.count ?? 0;
    while (next !== undefined && next < end) {
      const page: Page<PlacedMessage> = await store.history(session, { from: next, limit: end - next, at: moment });
      for (const { index, message } of page.items) kept.set(index, message as M);
      next = page.next;
    }
  }
  return (index) => {
    const message = kept.get(index);
    if (message === undefined) throw inconsistent(session, `message ${index} of ${moment.messages} is missing`);
    return message;
  };
}

/** How many of the view's first messages come from before this position. */
function staleOf(turns: BareState['turns'], top: FoldEntry | undefined, from: number): number {
  if (from === 0) return 0;
  const before = turns.filter((turn) => turn.from < from);
  const count = before.reduce((sum, turn) => sum + turn.count, 0);
  return count + (top?.note !== undefined && before.length > top.head ? 1 : 0);
}
