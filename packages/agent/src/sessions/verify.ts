import {
  ConversationWindow,
  type Dialect,
  type FoldEntry,
  hashMessage,
  type KeptTurn,
  type Receipt,
  type WindowState,
} from 'holdfast';
import { fillState } from 'holdfast/fill-state';
import { messageOf } from '../tools/failure.ts';
import { dialectFor } from './dialect-for.ts';
import { type FoldStack, NO_FOLDS, stackAfter, type Travel } from './fold-stack.ts';
import { advance, type Head, newHead, unknownSession } from './head.ts';
import { chainHash, NO_HASH, type StoredEntry, type WireMessage } from './session.ts';
import { eachEntry, eachMessage, type SessionInfo, type SessionStore } from './store.ts';

/** What a look at every entry of a session has shown. */
export interface Verified {
  readonly session: string;
  readonly entries: number;
  readonly messages: number;
  readonly folds: number;
  /** Handles in receipts and records that were followed. */
  readonly handles: number;
  /** What does not add up, each with its place; none if all is well. */
  readonly problems: readonly string[];
}

type Eras = WindowState['eras'];
const NOTHING_LEARNED = new ConversationWindow().state().calibration;

/** Entries that a window is made of, beside messages. */
const LOOKED_UP = ['fold', 'unfold', 'refold', 'pin', 'unpin', 'rewind', 'usage', 'model'] as const;

/** More of the same would only hide the first. */
const MOST_PROBLEMS = 20;

/**
 * Reads the whole log again: numbers and hashes, counts beside those of the list, what each fold covered and the hash at its
 * edge, the views that folds, undos and redos left, and that every handle leads to its message. `dialect` for wire formats that are not built in.
 */
export async function verifySession(
  store: SessionStore,
  session: string,
  dialect?: Dialect<unknown>,
): Promise<Verified> {
  const info = await store.info(session);
  if (!info) throw unknownSession(session);
  const replay = new Replay(store, info, dialect);
  for await (const stored of eachEntry(store, session)) await replay.take(stored);
  await replay.lookUp();
  return replay.finish();
}

/** The replay of one log. Keeps numbers of messages, never the messages. */
class Replay {
  readonly #store: SessionStore;
  readonly #info: SessionInfo;
  readonly #dialect: Dialect<unknown> | undefined;
  readonly #problems: string[] = [];
  #head: Head;
  /** The entry of the message at each place that counts. */
  #places: number[] = [];
  #stack = NO_FOLDS;
  /** The stack as it was behind each entry that changed it: a rewind goes back to one. */
  #stacks: { readonly seq: number; readonly stack: FoldStack }[] = [];
  #types = new Map<string, number>();
  #handles = 0;
  #hash = NO_HASH;
  #forked = 0;

  constructor(store: SessionStore, info: SessionInfo, dialect: Dialect<unknown> | undefined) {
    this.#store = store;
    this.#info = info;
    this.#dialect = dialect;
    this.#head = newHead({ id: info.id, created: info.created });
  }

  async take({ seq, time, hash, entry }: StoredEntry): Promise<void> {
    if (seq !== this.#head.last + 1) this.#wrong(`entry ${seq} follows entry ${this.#head.last}`);
    if (hash !== chainHash(this.#hash, seq, time, JSON.stringify(entry)))
      this.#wrong(`entry ${seq} (${entry.type}) or one before it was changed: its hash does not fit`);
    this.#hash = hash;
    try {
      this.#head = { ...advance({ ...this.#head, last: seq - 1 }, [entry], time).head, hash };
    } catch (error) {
      this.#wrong(`entry ${seq}: ${messageOf(error)}`);
      this.#head = { ...this.#head, last: seq };
    }
    this.#types.set(entry.type, (this.#types.get(entry.type) ?? 0) + 1);
    await this.#replay(seq, entry);
    if (/fold|rewind/.test(entry.type)) this.#stacks.push({ seq, stack: this.#stack });
  }

  /** To the folds behind an entry, or to those that a window can keep which was given another history. */
  #goBack(to: number, seq: number | undefined): void {
    const kept = { log: this.#stack.log.filter(({ covered }) => covered <= to), undone: [] };
    const before = this.#stacks.findLast((one) => seq !== undefined && one.seq <= seq);
    this.#stack = seq === undefined ? kept : (before?.stack ?? NO_FOLDS);
  }

  async #replay(seq: number, entry: StoredEntry['entry']): Promise<void> {
    switch (entry.type) {
      case 'message':
        this.#places.push(seq);
        break;
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
            `entry ${seq} ${entry.type === 'unfold' ? 'undoes a fold, and there is none' : 'makes a fold again, and none was undone'}`,
          );
        await this.#view(seq, entry.receipt, entry.seen, entry.turns);
        break;
      }
      case 'fork':
        this.#forked = seq + entry.entries;
        break;
      case 'handle':
        if ('seq' in entry) await this.#follow(seq, entry.handle, entry.seq);
        break;
      default:
    }
  }

  async #fold(seq: number, entry: Extract<Travel, { type: 'fold' }>): Promise<void> {
    const { fold, receipt, eras = [] } = entry;
    const { covered, prior, kept } = fold;
    if (covered > this.#places.length)
      this.#wrong(`entry ${seq} folds ${covered} messages, and the history has ${this.#places.length}`);
    else await this.#edge(seq, fold);
    this.#stack = stackAfter(this.#stack, entry);
    const before = this.#stack.log.at(-2)?.covered ?? 0;
    if (prior !== before && prior !== 0)
      this.#wrong(`entry ${seq} goes on from a fold of ${prior} messages, and none covered so many`);
    let end = 0;
    for (const { from, count } of kept) {
      if (from < end || from + count > covered)
        this.#wrong(`entry ${seq} keeps messages ${from} to ${from + count - 1}`);
      end = from + count;
    }
    await this.#view(seq, receipt, covered, kept, eras);
    for (const { from, to, handle } of receipt.turns) if (handle !== undefined) await this.#run(seq, handle, from, to);
  }

  /** The view that came of a fold, an undo or a redo: made again, it has the size that was told, and keeps the wire format. */
  async #view(
    seq: number,
    receipt: Receipt | undefined,
    seen: number | undefined,
    turns: readonly KeptTurn[] | undefined,
    eras: Eras = this.#head.eras,
  ): Promise<void> {
    const first = this.#places[0];
    if (!receipt || seen === undefined || !turns || first === undefined || seen > this.#places.length) return;
    try {
      const message = await this.#messageOf(first);
      const dialect = this.#dialect ?? dialectFor(this.#head.dialect, message ?? {});
      const bare = {
        version: 1,
        dialect: dialect.name,
        eras,
        folds: 0,
        seen,
        told: seen,
        undone: [],
        pins: [],
      } as const;
      const top = this.#stack.log.at(-1);
      const state = { ...bare, log: top ? [top] : [], turns, calibration: NOTHING_LEARNED };
      const { view } = await fillState<unknown>(dialect, state, async (index) => {
        const found = await this.#messageOf(this.#places[index] ?? 0);
        if (!found) throw new Error(`message ${index} cannot be read`);
        return found;
      });
      if (view.length !== receipt.after.messages)
        this.#wrong(`entry ${seq} left ${receipt.after.messages} messages in view, and it makes ${view.length}`);
      // How an answer may end is a rule for requests that end with it.
      const broken = dialect.validate(view, { part: false }).find(({ rule }) => rule !== 'trailing-whitespace');
      if (broken) this.#wrong(`entry ${seq} left a view that breaks ${broken.rule} at its message ${broken.index}`);
    } catch (error) {
      this.#wrong(`entry ${seq}: its view cannot be made again: ${messageOf(error)}`);
    }
  }

  /** The message at the edge must be the one that the fold saw. */
  async #edge(seq: number, { covered, edge }: FoldEntry): Promise<void> {
    const place = this.#places[covered - 1];
    if (place === undefined) return;
    const message = await this.#messageOf(place);
    if (message === undefined) return this.#wrong(`entry ${seq}: message ${covered - 1} cannot be read`);
    const hash = hashMessage(this.#dialect ?? dialectFor(this.#head.dialect, message), message);
    if (hash !== edge) this.#wrong(`entry ${seq} folds up to message ${covered - 1}, which is another now`);
  }

  async #messageOf(seq: number): Promise<WireMessage | undefined> {
    return (await this.#store.message(this.#info.id, `#${seq}`))?.message;
  }

  /** Every message of a run, by the name that a view gave it. */
  async #run(seq: number, handle: string, from: number, to: number): Promise<void> {
    const [, era = ''] = /^m\d+(~\d+)?/.exec(handle) ?? [];
    for (let place = from; place <= to; place++) {
      const found = await this.#store.message(this.#info.id, `m${place}${era}`);
      const now = found ?? (await this.#store.message(this.#info.id, `m${place}`));
      this.#handles++;
      if (now === undefined) this.#wrong(`entry ${seq}: nothing is kept as m${place}${era}`);
    }
  }

  async #follow(seq: number, handle: string, target: number): Promise<void> {
    this.#handles++;
    if ((await this.#store.message(this.#info.id, handle))?.seq !== target)
      this.#wrong(`entry ${seq}: ${handle} does not lead to entry ${target}`);
  }

  #wrong(problem: string): void {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push(problem);
  }

  /** What a store finds by place and by type must be what stands in the log. */
  async lookUp(): Promise<void> {
    const { id } = this.#info;
    let next = 0;
    for await (const { index, seq } of eachMessage(this.#store, id)) {
      if (index !== next++ || seq !== this.#places[index])
        this.#wrong(`message ${index} is looked up as entry ${seq}, and the log says ${this.#places[index]}`);
    }
    for (const type of LOOKED_UP) {
      let found = 0;
      for await (const { entry } of eachEntry(this.#store, id, { types: [type] })) if (entry.type === type) found++;
      const told = this.#types.get(type) ?? 0;
      if (found !== told) this.#wrong(`${found} entries are looked up as ${type}, and the log has ${told}`);
    }
  }

  finish(): Verified {
    const { id } = this.#info;
    for (const key of [
      'last',
      'hash',
      'messages',
      'folds',
      'bytes',
      'tokens',
      'cost',
      'provider',
      'model',
      'dialect',
    ] as const)
      if (this.#head[key] !== this.#info[key])
        this.#wrong(`the list says ${key} ${this.#info[key]}, the log ${this.#head[key]}`);
    if (this.#forked > this.#head.last)
      this.#wrong(`it is a fork of ${this.#forked} entries, and ends with ${this.#head.last}: fork it again`);
    const { last: entries, messages, folds } = this.#head;
    return { session: id, entries, messages, folds, handles: this.#handles, problems: this.#problems };
  }
}
