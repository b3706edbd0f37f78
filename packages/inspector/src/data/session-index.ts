import { createEverythingCosts } from '@holdfast/models';
import { readUsage, type SessionEntry, type SessionEntryType, type StoredEntry } from '@holdfast/sessions';
import type { Call, CallList, Costs, FoldMark, Tokens } from '../api/types.ts';
import { type ModelLookup, plus, promptTokens } from './call-costs.ts';
import { chartCalls } from './chart-calls.ts';
import { FoldStack } from './fold-stack.ts';

type Entry<T extends SessionEntryType> = Extract<SessionEntry, { type: T }>;

/** The entries that an index needs: none of the messages, however many there are. */
export const INDEXED: readonly SessionEntryType[] = [
  'usage',
  'fold',
  'unfold',
  'refold',
  'rewind',
  'model',
  'pin',
  'unpin',
  'fork',
  'run',
];

/** A call, with what the API does not say of it. */
export interface IndexedCall extends Omit<Call, 'rewound' | 'folds'> {
  /** Entries with its requests, as they were sent. */
  readonly sentAs: readonly number[];
}

/** How the session was written from an entry on. */
export interface ModelChange extends Pick<Entry<'model'>, 'provider' | 'model' | 'dialect' | 'folder'> {
  readonly seq: number;
}

const NO_TOKENS: Tokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/**
 * What the lists and charts of one session need, built entry by entry, so that a longer log only adds to it. Single owner.
 * `messagesAt`: how many messages the history had after an entry, for logs whose usage does not say it.
 */
export class SessionIndex {
  /** The last entry that was added or skipped. */
  last = 0;
  readonly calls: IndexedCall[] = [];
  readonly folds = new FoldStack();
  readonly models: ModelChange[] = [];
  readonly rewinds: { readonly seq: number; readonly to: number }[] = [];
  readonly run: Record<string, unknown> = {};
  forkedFrom: string | undefined;
  overWindow = 0;
  #totals = NO_TOKENS;
  #spent: number | undefined = 0;
  #everything: number | undefined = 0;
  readonly #everythingCosts = createEverythingCosts();
  /** For requests that a fork copied: what they cost counts in the session that sent them. */
  readonly #copiedCosts = createEverythingCosts();
  /** Requests since the last call of a crew. */
  #open: number[] = [];
  #pins = new Set<number>();
  readonly #models: ModelLookup;

  constructor(models: ModelLookup = () => undefined) {
    this.#models = models;
  }

  /** Adds the next entry. `messagesAt`: messages of the history then; needed only if `wantsMessages` says so. */
  add(stored: StoredEntry, messagesAt = 0): void {
    const { seq, entry } = stored;
    this.last = seq;
    if (entry.type === 'usage') this.#addUsage(stored, entry, messagesAt);
    else if (entry.type === 'request') this.#open.push(seq);
    else if (entry.type === 'pin') this.#pins.add(entry.index);
    else if (entry.type === 'unpin') this.#pins.delete(entry.index);
    else if (entry.type === 'fork') this.forkedFrom = entry.session;
    else if (entry.type === 'run') Object.assign(this.run, entry.change);
    else if (entry.type === 'model') {
      const { provider, model, dialect, folder } = entry;
      this.models.push({ seq, provider, model, dialect, ...(folder === undefined ? {} : { folder }) });
    } else {
      this.folds.add(stored);
      if (entry.type === 'rewind') this.#rewind(seq, entry.to);
    }
  }

  #rewind(seq: number, to: number): void {
    this.rewinds.push({ seq, to });
    this.#pins = new Set([...this.#pins].filter((index) => index < to));
  }

  #addUsage({ seq, time }: StoredEntry, entry: Entry<'usage'>, messagesAt: number): void {
    const { tokens, historyTokens } = readUsage(entry);
    const { cost, model = this.models.at(-1)?.model, window, copied = false } = entry;
    if (!copied) {
      this.#totals = sum(this.#totals, tokens);
      this.#spent = plus(this.#spent, isFree(tokens) ? (cost ?? 0) : cost);
    }
    // Requests for summaries belong to no call of their own.
    if (!isCall(entry)) return;
    const facts = model === undefined ? undefined : this.#models(model);
    const known = historyTokens > 0 ? { historyTokens } : {};
    const isWhole = window ? this.folds.inEffect().length === 0 : !this.#isFolded;
    const crew = crewNotes(entry.state);
    const everything =
      crew.everything ??
      (copied ? this.#copiedCosts : this.#everythingCosts)(model ?? '')({ tokens, cost, isWhole, ...known }, (all) =>
        facts?.cost(all),
      );
    const sent = window?.sent ?? crew.shown;
    if (!copied) this.#everything = plus(this.#everything, everything);
    if (facts?.window !== undefined && historyTokens > facts.window) this.overWindow++;
    const sentAs = entry.request === undefined ? this.#open : [entry.request];
    this.#open = [];
    this.calls.push({
      call: this.calls.length + 1,
      seq,
      time,
      ...(model === undefined ? {} : { model }),
      messages: window?.seen ?? crew.messages ?? messagesAt,
      ...(sent === undefined ? {} : { sent }),
      ...known,
      viewTokens: promptTokens(tokens),
      ...(window?.max?.tokens === undefined ? {} : { budget: window.max.tokens }),
      ...(window?.max?.messages === undefined ? {} : { budgetMessages: window.max.messages }),
      tokens,
      ...(cost === undefined ? {} : { cost }),
      ...(everything === undefined ? {} : { everything }),
      costs: this.costs,
      requests: sentAs.length,
      sentAs,
    });
  }

  get #isFolded(): boolean {
    return this.folds.folds.length > 0;
  }

  get totals(): Tokens {
    return this.#totals;
  }

  get costs(): Costs {
    return {
      ...(this.#spent === undefined ? {} : { spent: this.#spent }),
      ...(this.#everything === undefined ? {} : { everything: this.#everything }),
    };
  }

  /** Positions of pinned messages, in order. */
  get pins(): readonly number[] {
    return [...this.#pins].sort((a, b) => a - b);
  }

  /** The model and wire format at an entry. */
  modelAt(seq: number): ModelChange | undefined {
    return this.models.findLast((one) => one.seq <= seq) ?? this.models[0];
  }

  /** Calls and folds that are new after an entry, as the API has them; all of them if earlier ones changed since. At most about `most` calls. */
  callsSince(entry: number, most = Number.POSITIVE_INFINITY): CallList {
    const since = this.#isOutdated(entry) ? 0 : entry;
    const known = this.calls.findLastIndex(({ seq }) => seq <= since);
    // A fold belongs to the call after it, which may be new.
    const edge = this.calls[known]?.seq ?? 0;
    const first = this.folds.folds.findLastIndex(({ seq }) => seq < edge) + 1;
    const calls = chartCalls(this.calls.slice(known + 1), most).map((call) => this.#listed(call));
    return { since, last: this.last, total: this.calls.length, calls, folds: this.foldMarks(known + 1, first) };
  }

  /** True if calls or folds up to an entry are not what they were then: rewound, undone or redone; or another session has the id now. */
  #isOutdated(entry: number): boolean {
    const [then, now] = [this.folds.inEffect(entry), this.folds.inEffect()];
    return (
      entry > this.last ||
      this.rewinds.some(({ seq }) => seq > entry) ||
      then.some((fold, at) => now[at] !== fold) ||
      now.slice(then.length).some((fold) => (this.folds.folds[fold - 1]?.seq ?? 0) <= entry)
    );
  }

  /** A call as the API has it; undefined if there is none with this number. */
  callAt(number: number): Call | undefined {
    const call = this.calls[number - 1];
    return call && this.#listed(call);
  }

  #listed({ sentAs: _, ...call }: IndexedCall): Call {
    const { folds } = this.folds;
    const before = this.calls[call.call - 2]?.seq ?? 0;
    const between = folds.slice(firstAfter(folds, before), firstAfter(folds, call.seq)).map(({ fold }) => fold);
    const isRewound = this.rewinds.some(({ seq, to }) => seq > call.seq && to < call.messages);
    return { ...call, folds: between, ...(isRewound ? { rewound: true as const } : {}) };
  }

  /** Folds, as the API has them. */
  foldMarks(firstCall = 0, first = 0): FoldMark[] {
    const inEffect = new Set(this.folds.inEffect());
    let next = firstCall;
    return this.folds.folds.slice(first).map(({ covered: _, ...fold }) => {
      while ((this.calls[next]?.seq ?? Number.POSITIVE_INFINITY) < fold.seq) next++;
      const call = this.calls[next]?.call;
      return {
        ...fold,
        ...(call === undefined ? {} : { call }),
        ...(inEffect.has(fold.fold) ? {} : { undone: true as const }),
      };
    });
  }
}

/** How many of these come up to an entry: the place of the first after it. Pure. */
function firstAfter(folds: readonly { readonly seq: number }[], seq: number): number {
  let [low, high] = [0, folds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((folds[middle]?.seq ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** True if the index cannot tell from this entry how many messages the history had. Pure. */
export function wantsMessages(entry: SessionEntry): boolean {
  return entry.type === 'usage' && isCall(entry) && !entry.window && crewNotes(entry.state).messages === undefined;
}

/** A request that answered the conversation; others asked for a summary. */
function isCall({ window, state, request }: Entry<'usage'>): boolean {
  return window !== undefined || state !== undefined || request === undefined;
}

/** What a crew notes with its usage: messages of the history, how many of them its agents still see, and the cost of showing all. */
function crewNotes(state: unknown): { readonly [K in 'messages' | 'shown' | 'everything']?: number } {
  const noted = Object.entries((state ?? {}) as object).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries(noted);
}

function isFree(tokens: Tokens): boolean {
  return promptTokens(tokens) + tokens.output === 0;
}

function sum(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
  };
}
