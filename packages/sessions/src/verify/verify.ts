import {
  type Dialect,
  type FoldEntry,
  handleTarget,
  hashMessage,
  isHoldfastError,
  type KeptTurn,
  messageHandle,
  type Receipt,
  type WindowState,
} from 'holdfast';
import { restoreState, UNCALIBRATED } from 'holdfast/restore';
import { dialectFor } from '../conversation/restore/dialect-for.ts';
import {
  type FoldChange,
  type FoldStack,
  foldsUpTo,
  NO_FOLDS,
  stackAfter,
} from '../conversation/restore/fold-stack.ts';
import { chainHash, NO_HASH, type RequestEntry, type StoredEntry, type WireMessage } from '../entry.ts';
import { type BrokenEntry, brokenSeq, messageOf } from '../log/broken-entry.ts';
import { advance, type Head, newHead, unknownSession } from '../log/head.ts';
import { PAGE_ENTRIES } from '../log/rows.ts';
import { valueIn } from '../requests/request-at.ts';
import { entriesIn, requestText, textHash } from '../requests/request-form.ts';
import { eachEntry, type SessionInfo, type SessionStore } from '../store.ts';
import { DAMAGED, undamagedEntries } from './damaged.ts';

/** The result of verifying a session. */
export interface Verified {
  readonly session: string;
  readonly entries: number;
  readonly messages: number;
  readonly folds: number;
  /** Handles that were followed. */
  readonly handles: number;
  /** What is wrong, and where; empty if nothing is. */
  readonly problems: readonly string[];
}

type Revisions = WindowState['revisions'];

/** Entries besides messages that a window is restored from. */
const LOOKED_UP = ['fold', 'unfold', 'refold', 'pin', 'unpin', 'rewind', 'usage', 'model'] as const;

/** Figures of the list; the first are known even if entries are broken. */
const COUNTS = [
  ...(['last', 'hash', 'messages'] as const),
  ...(['folds', 'bytes', 'tokens', 'cost', 'provider', 'model', 'dialect', 'kind'] as const),
];

/** More would push the first off the screen. */
const MOST_PROBLEMS = 20;

/** Retries for a session that grew while it was read, in a store without snapshots. */
const TRIES = 5;

/**
 * Checks a whole log at one point in time: numbers, hashes, counts in the list, what each fold covered and the message at its
 * edge, the views after folds, undos and redos, every handle, every request. Reports broken entries and continues. `dialect`: for
 * wire formats that are not built in. Throws UNKNOWN_SESSION, and nothing for what is wrong with the session.
 */
export async function verifySession(
  store: SessionStore,
  session: string,
  dialect?: Dialect<unknown>,
): Promise<Verified> {
  if (store.snapshot) return store.snapshot((moment) => verifyNow(moment, session, dialect));
  for (let tries = 1; ; tries++) {
    const verified = await verifyNow(store, session, dialect);
    const isSound = verified.problems.length === 0;
    if (isSound || tries === TRIES || (await store.info(session))?.last === verified.entries) return verified;
  }
}

async function verifyNow(store: SessionStore, session: string, dialect?: Dialect<unknown>): Promise<Verified> {
  let restoring: Restoring | undefined;
  try {
    const info = await store.info(session);
    if (!info) throw unknownSession(session);
    restoring = new Restoring(store, info, dialect);
    await restoring.readAll();
    await restoring.lookUp();
    return restoring.finish();
  } catch (error) {
    if (isHoldfastError(error) && (error.code === 'UNKNOWN_SESSION' || error.code === 'STORE_CONFLICT')) throw error;
    return stopped(session, restoring, error);
  }
}

/** What was found before the session, or its store, became unreadable. */
function stopped(session: string, restoring: Restoring | undefined, error: unknown): Verified {
  const found = restoring?.finish() ?? { session, entries: 0, messages: 0, folds: 0, handles: 0, problems: [] };
  return { ...found, problems: [`it cannot be read to the end: ${messageOf(error)}`, ...found.problems] };
}

/** Replays one log. Keeps the numbers of messages, and few messages. */
class Restoring {
  readonly #store: SessionStore;
  readonly #info: SessionInfo;
  readonly #dialect: Dialect<unknown> | undefined;
  readonly #problems: string[] = [];
  #head: Head;
  /** The entry of each message of the history. */
  #places: number[] = [];
  #stack = NO_FOLDS;
  /** The stack after each entry that changed it: a rewind restores one. */
  #stacks: { readonly seq: number; readonly stack: FoldStack }[] = [];
  #types = new Map<string, number>();
  /** Where a fold ended that is logged as covering this many messages: without its newest turn, if that is as it was. */
  readonly #foldEnds = new Map<number, number>();
  #handles = 0;
  #hash = NO_HASH;
  #forked = 0;
  /** Unreadable entries, by number. */
  readonly #broken = new Map<number, BrokenEntry>();
  /** The values that the last request refers to, by entry. */
  readonly #values = new Map<number, unknown>();
  #isDamaged = false;
  #unshown = 0;
  #moved = 0;

  constructor(store: SessionStore, info: SessionInfo, dialect: Dialect<unknown> | undefined) {
    this.#store = store;
    this.#info = info;
    this.#dialect = dialect;
    this.#head = newHead({ id: info.id, created: info.created });
  }

  /** Takes every entry in order; unreadable ones by what their row says. */
  async readAll(): Promise<void> {
    const onBroken = (broken: BrokenEntry) => {
      this.#broken.set(broken.seq, broken);
      this.#isDamaged ||= broken.type === DAMAGED;
    };
    for await (const stored of undamagedEntries(this.#store, this.#info, onBroken)) {
      this.#passBroken(stored.seq);
      try {
        await this.#take(stored);
      } catch (error) {
        this.#isBroken({ ...stored, type: stored.entry.type, problem: messageOf(error) });
      }
    }
    this.#passBroken(Number.POSITIVE_INFINITY);
  }

  /** Takes the broken entries before this number. */
  #passBroken(end: number): void {
    for (const broken of this.#broken.values())
      if (broken.seq > this.#head.last && broken.seq < end) {
        this.#follows(broken.seq);
        this.#isBroken(broken);
        this.#hash = broken.hash;
        this.#count(broken.type);
        if (broken.type === 'message') this.#places.push(broken.seq);
        const messages = this.#head.messages + (broken.type === 'message' ? 1 : 0);
        this.#head = { ...this.#head, messages, last: broken.seq, hash: broken.hash };
      }
  }

  #isBroken(broken: BrokenEntry): void {
    const { seq, type, problem } = broken;
    this.#broken.set(seq, broken);
    const place = this.#head.last < seq ? this.#head.messages : this.#head.messages - 1;
    const kind = type === DAMAGED ? '' : ` (${type === 'message' ? `message m${place}` : type})`;
    this.#wrong(`entry ${seq}${kind} is broken: ${problem}`);
  }

  #follows(seq: number): void {
    if (seq !== this.#head.last + 1) this.#wrong(`entry ${seq} follows entry ${this.#head.last}`);
  }

  #count(type: string): void {
    this.#types.set(type, (this.#types.get(type) ?? 0) + 1);
  }

  async #take({ seq, time, hash, entry }: StoredEntry): Promise<void> {
    this.#follows(seq);
    this.#count(entry.type);
    const before = this.#hash;
    this.#hash = hash;
    try {
      this.#head = { ...advance({ ...this.#head, last: seq - 1 }, [entry], time).head, hash };
    } catch (error) {
      this.#wrong(`entry ${seq} (${entry.type}): ${messageOf(error)}`);
      this.#head = { ...this.#head, last: seq, hash };
      // It still counts as a message, or all after it would be misplaced.
      if (entry.type === 'message') this.#head = { ...this.#head, messages: this.#head.messages + 1 };
    }
    if (entry.type === 'message') this.#places.push(seq);
    const isKnown = this.#broken.get(seq - 1)?.type !== DAMAGED;
    if (isKnown && hash !== chainHash(before, seq, time, JSON.stringify(entry)))
      this.#wrong(`entry ${seq} (${entry.type}) or one before it was changed: its hash does not match`);
    // A lost entry may have been a message, which would misplace all after it.
    if (!this.#isDamaged) await this.#restore(seq, entry);
    if (/fold|rewind/.test(entry.type)) this.#stacks.push({ seq, stack: this.#stack });
  }

  /** Restores the folds after an entry, or those that a window keeps when its history is rewritten. */
  #goBack(to: number, seq: number | undefined): void {
    const kept = { log: foldsUpTo(this.#stack.log, to), undone: [] };
    const before = this.#stacks.findLast((one) => seq !== undefined && one.seq <= seq);
    this.#stack = seq === undefined ? kept : (before?.stack ?? NO_FOLDS);
  }

  async #restore(seq: number, entry: StoredEntry['entry']): Promise<void> {
    switch (entry.type) {
      case 'rewind':
        this.#places.length = Math.min(entry.to, this.#places.length);
        this.#goBack(entry.to, entry.seq);
        break;
      case 'fold':
        await this.#fold(seq, entry);
        break;
      case 'unfold':
      case 'refold': {
        const { log } = this.#stack;
        this.#stack = stackAfter(this.#stack, entry);
        if (this.#stack.log.length === log.length)
          this.#wrong(
            `entry ${seq} ${entry.type === 'unfold' ? 'undoes a fold, but there is none' : 'redoes a fold, but none was undone'}`,
          );
        await this.#view(seq, entry.receipt, entry.seen, entry.turns);
        break;
      }
      case 'fork':
        this.#forked = seq + entry.entries;
        break;
      case 'part':
        if (textHash(JSON.stringify(entry.value)) !== entry.hash) this.#wrong(`entry ${seq}: its hash does not match`);
        break;
      case 'request':
        await this.#request(seq, entry);
        break;
      case 'handle':
        if ('seq' in entry) await this.#follow(seq, entry.handle, entry.seq);
        break;
      default:
    }
  }

  /** A request rebuilt from the entries it refers to must be the one that was sent. */
  async #request(seq: number, entry: RequestEntry): Promise<void> {
    const needed = new Set(entriesIn(entry));
    if ([...needed].some((one) => this.#broken.has(one))) return;
    for (const one of needed) {
      if (this.#values.has(one)) continue;
      const [stored] = (await this.#store.read(this.#info.id, { from: one, limit: 1 })).items;
      this.#values.set(one, stored?.seq === one ? valueIn(stored.entry) : undefined);
    }
    // The next request needs most of these, and few others.
    for (const one of this.#values.keys()) if (!needed.has(one)) this.#values.delete(one);
    if (textHash(requestText(entry, (one) => this.#values.get(one))) !== entry.hash)
      this.#wrong(`entry ${seq}: the request is not what was sent, its hash does not match`);
  }

  async #fold(seq: number, entry: Extract<FoldChange, { type: 'fold' }>): Promise<void> {
    const { fold, receipt, revisions = [] } = entry;
    const { covered, prior, kept } = fold;
    if (covered > this.#places.length)
      this.#wrong(`entry ${seq} folds ${covered} messages, but the history has ${this.#places.length}`);
    else await this.#edge(seq, fold);
    this.#stack = stackAfter(this.#stack, entry);
    const before = this.#stack.log.at(-2)?.covered ?? 0;
    if (prior !== before && prior !== 0 && prior !== this.#foldEnds.get(before))
      this.#wrong(`entry ${seq} builds on a fold of ${prior} messages, but there is none`);
    let end = 0;
    for (const { from, count } of kept) {
      if (from < end || from + count > covered)
        this.#wrong(`entry ${seq} keeps messages ${from} to ${from + count - 1}`);
      end = from + count;
    }
    this.#foldEnds.set(covered, Math.max(covered, ...receipt.turns.map(({ to }) => to + 1)));
    await this.#view(seq, receipt, covered, kept, revisions);
    for (const { from, to, handle } of receipt.turns) {
      if (handle === undefined) continue;
      if (to < covered) await this.#run(seq, handle, from, to);
      else this.#wrong(`entry ${seq} names messages up to ${to}, but folds ${covered}`);
    }
  }

  /** Rebuilds the view after a fold, an undo or a redo: it must have the recorded size, and be valid. */
  async #view(
    seq: number,
    receipt: Receipt | undefined,
    seen: number | undefined,
    turns: readonly KeptTurn[] | undefined,
    revisions: Revisions = this.#head.revisions,
  ): Promise<void> {
    const first = this.#places[0];
    if (!receipt || seen === undefined || !turns || first === undefined || seen > this.#places.length) return;
    try {
      const message = await this.#messageOf(first);
      const dialect = this.#dialect ?? dialectFor(this.#head.dialect, message ?? {});
      const bare = {
        version: 1,
        dialect: dialect.name,
        revisions,
        folds: 0,
        seen,
        told: seen,
        undone: [],
        pins: [],
      } as const;
      const top = this.#stack.log.at(-1);
      const state = { ...bare, log: top ? [top] : [], turns, calibration: UNCALIBRATED };
      const { view } = await restoreState<unknown>(dialect, state, async (index) => {
        const found = await this.#messageOf(this.#places[index] ?? 0);
        if (!found) throw new Error(`message ${index} cannot be read`);
        return found;
      });
      const expected = receipt.after.messages - unsettled(receipt, seen);
      if (view.length !== expected)
        this.#wrong(`entry ${seq} left ${expected} messages in view, but rebuilding it gives ${view.length}`);
      // Each message has the cache markers that it came with, and clients move those from request to request.
      const unmarked = view.map((message) => dialect.withMarkers(message, 0));
      // A rule only for requests that end with an answer.
      const broken = dialect.validate(unmarked, { part: false }).find(({ rule }) => rule !== 'trailing-whitespace');
      if (broken) this.#wrong(`entry ${seq} left a view that breaks ${broken.rule} at its message ${broken.index}`);
    } catch (error) {
      if (this.#isKnown(error)) return;
      this.#wrong(`entry ${seq}: its view cannot be rebuilt: ${messageOf(error)}`);
    }
  }

  /** The last message that a fold covered must be unchanged. */
  async #edge(seq: number, { covered, edge }: FoldEntry): Promise<void> {
    const place = this.#places[covered - 1];
    if (place === undefined) return;
    if (this.#broken.has(place)) return;
    const message = await this.#messageOf(place);
    if (message === undefined) return this.#wrong(`entry ${seq}: message ${covered - 1} cannot be read`);
    const hash = hashMessage(this.#dialect ?? dialectFor(this.#head.dialect, message), message);
    if (hash !== edge) this.#wrong(`entry ${seq} folds up to message ${covered - 1}, which was changed`);
  }

  async #messageOf(seq: number): Promise<WireMessage | undefined> {
    return (await this.#store.message(this.#info.id, `#${seq}`))?.message;
  }

  /** What a handle leads to; undefined for nothing, `broken` for an entry already reported. */
  async #led(handle: string): Promise<{ readonly seq: number } | 'broken' | undefined> {
    try {
      return await this.#store.message(this.#info.id, handle);
    } catch (error) {
      if (this.#isKnown(error)) return 'broken';
      throw error;
    }
  }

  /** True for an error about an entry already reported as broken. */
  #isKnown(error: unknown): boolean {
    return this.#broken.has(brokenSeq(error) ?? 0);
  }

  /** Follows the handles of a range of messages. */
  async #run(seq: number, handle: string, from: number, to: number): Promise<void> {
    const [first = ''] = handle.split(',');
    const { revision = 0 } = handleTarget(first) ?? {};
    for (let place = from; place <= to; place++) {
      const own = messageHandle(place, revision);
      const now = (await this.#led(own)) ?? (await this.#led(messageHandle(place)));
      this.#handles++;
      if (now === undefined) this.#wrong(`entry ${seq}: ${own} leads nowhere`);
    }
  }

  async #follow(seq: number, handle: string, target: number): Promise<void> {
    this.#handles++;
    const found = await this.#led(handle);
    if (found !== 'broken' && found?.seq !== target)
      this.#wrong(`entry ${seq}: ${handle} does not lead to entry ${target}`);
  }

  #wrong(problem: string): void {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push(problem);
    else this.#unshown++;
  }

  /** Lookups by position and by type must agree with the log. */
  async lookUp(): Promise<void> {
    if (this.#isDamaged) return;
    const { id } = this.#info;
    let from = 0;
    // In ranges between broken messages, each of which would throw.
    for (let at = 0; at <= this.#places.length; at++) {
      const isEnd = at === this.#places.length;
      if (!isEnd && !this.#broken.has(this.#places[at] ?? 0)) continue;
      await this.#lookUpRun(from, isEnd ? Number.POSITIVE_INFINITY : at).catch((error: unknown) => {
        const seq = brokenSeq(error);
        if (seq === undefined) throw error;
        this.#wrong(`entry ${seq} is looked up as a message, but is not one`);
      });
      from = at + 1;
    }
    for (const type of LOOKED_UP) {
      let found = 0;
      const onBroken = () => found++;
      for await (const { entry } of eachEntry(this.#store, id, { types: [type], onBroken }))
        if (entry.type === type) found++;
      const told = this.#types.get(type) ?? 0;
      if (found !== told) this.#wrong(`${found} entries are looked up as ${type}, but the log has ${told}`);
    }
  }

  /** Looks up the messages from one position to another. */
  async #lookUpRun(from: number, end: number): Promise<void> {
    let next = from;
    while (next < end) {
      const limit = Math.min(end - next, PAGE_ENTRIES);
      const page = await this.#store.history(this.#info.id, { from: next, limit });
      for (const { index, seq } of page.items) {
        if (index !== next) this.#misplaced(`message ${index} is looked up in place of message ${next}`);
        else if (seq !== this.#places[index])
          this.#misplaced(`message ${index} is looked up as entry ${seq}, but the log says ${this.#places[index]}`);
        next = index + 1;
      }
      if (page.next === undefined || page.items.length === 0) return;
    }
  }

  /** Reports the first only: one misplaced entry moves all after it. */
  #misplaced(problem: string): void {
    if (this.#moved++ === 0) this.#wrong(problem);
  }

  finish(): Verified {
    const { id } = this.#info;
    // What a broken entry added to the other figures is unknown.
    const known = this.#isDamaged ? 1 : 3;
    const keys = this.#broken.size > 0 ? COUNTS.slice(0, known) : COUNTS;
    for (const key of keys)
      if (this.#head[key] !== this.#info[key])
        this.#wrong(`the list says ${key} ${this.#info[key]}, but the log says ${this.#head[key]}`);
    if (this.#moved > 1) this.#wrong(`and ${this.#moved - 1} more messages are looked up as others`);
    if (this.#forked > this.#head.last)
      this.#wrong(`it is a fork of ${this.#forked} entries, but ends with ${this.#head.last}: fork again`);
    const { last: entries, messages, folds } = this.#head;
    const more = this.#unshown > 0 ? [`and ${this.#unshown} more`] : [];
    return { session: id, entries, messages, folds, handles: this.#handles, problems: [...this.#problems, ...more] };
  }
}

/** Messages of the newest turn, if a fold left it as it was and is logged without it: they are logged after the fold. Pure. */
function unsettled({ turns }: Receipt, covered: number): number {
  const later = turns.filter(({ from }) => from >= covered);
  return later.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}
