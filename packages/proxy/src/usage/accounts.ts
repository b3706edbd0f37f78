import {
  createLedger,
  type Ledger,
  modelInfo,
  type Prices,
  promptOf,
  type SessionTokens,
  sessionTokens,
  tokensOf,
} from '@holdfast/models';

/** What was paid, next to what the same requests would have cost with the whole history in each. */
export interface Costs {
  readonly proxied: number;
  readonly direct: number;
}

/** Sums of many requests. */
export interface Totals {
  readonly requests: number;
  readonly folds: number;
  /** How many requests failed, by the status that the client got. */
  readonly failed: Readonly<Record<number, number>>;
  /** As the APIs reported them: input that was neither read from a cache nor written to one, and so on. */
  readonly tokens: Required<SessionTokens>;
  readonly dollars: Costs;
  /** For models without a known price: in tokens of plain input, at usual ratios. */
  readonly units: Costs;
}

/** One conversation with one model. */
export interface ConversationAccount {
  readonly conversation: string;
  readonly model: string;
  readonly requests: number;
  readonly folds: number;
  /** Tokens of the last prompt, as reported. */
  readonly prompt: number;
  /** Tokens that the last prompt would have had with the whole history. */
  readonly history: number;
  readonly costs: Costs;
  readonly currency: 'dollars' | 'units';
}

/** What a request was, for its account. */
export interface Spent {
  readonly conversation?: string | undefined;
  readonly model: string;
  /** The API's usage object. */
  readonly usage: unknown;
  /** Folds of the conversation so far; undefined if unknown. */
  readonly folds?: number | undefined;
  /** True if the request had the whole history. */
  readonly isWhole: boolean;
  /** Tokens of the prompt with the whole history; undefined if unknown. */
  readonly history?: number | undefined;
}

/** What an answered request added. */
export interface Charge {
  readonly tokens: Required<SessionTokens>;
  readonly currency: 'dollars' | 'units';
  readonly costs: Costs;
}

/** Adds up what requests cost. */
export interface Accounts {
  /** Counts a fold, whether its request is answered or not. */
  fold(): void;
  /** Counts a request that failed. */
  fail(status: number): void;
  /** Adds an answered request. Undefined if the API reported no usage. */
  add(spent: Spent): Charge | undefined;
  totals(): Totals;
  /** The conversations used last, the latest first. */
  conversations(): ConversationAccount[];
}

/** Of input for each million tokens, as most vendors have it. */
const UNITS: Prices = { input: 1e6, output: 5e6, cache_read: 1e5, cache_write: 1.25e6, cache_write_1h: 2e6 };

const NOTHING: Totals = {
  requests: 0,
  folds: 0,
  failed: {},
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  dollars: { proxied: 0, direct: 0 },
  units: { proxied: 0, direct: 0 },
};

interface Account extends ConversationAccount {
  readonly ledger: Ledger;
}

/** Empty accounts. `most`: conversations to list; those used longest ago only stay in the totals. */
export function createAccounts(most = 1_000): Accounts {
  const accounts = new Map<string, Account>();
  let totals = NOTHING;
  const isKnown = (conversation: string | undefined) =>
    conversation !== undefined && [...accounts.values()].some((one) => one.conversation === conversation);
  return {
    fold() {
      totals = { ...totals, folds: totals.folds + 1 };
    },
    fail(status) {
      const { failed } = totals;
      totals = { ...totals, failed: { ...failed, [status]: (failed[status] ?? 0) + 1 } };
    },
    add(spent) {
      const { conversation, model } = spent;
      const key = `${conversation} ${model}`;
      const account =
        (conversation === undefined ? undefined : accounts.get(key)) ?? newAccount(spent, isKnown(conversation));
      const charge = chargeTo(account, spent);
      totals = { ...totals, requests: totals.requests + 1 };
      if (charge) {
        const { tokens, currency, costs } = charge;
        totals = { ...totals, tokens: plus(totals.tokens, tokens), [currency]: plus(totals[currency], costs) };
      }
      if (conversation === undefined) return charge;
      accounts.delete(key);
      accounts.set(key, updated(account, spent, charge));
      const [oldest] = accounts.keys();
      if (accounts.size > most && oldest !== undefined) accounts.delete(oldest);
      return charge;
    },
    totals: () => totals,
    conversations: () => [...accounts.values()].reverse().map(({ ledger: _, ...account }) => account),
  };
}

/** `isKnown`: another model has spoken in the conversation, so this model's cache is empty. */
function newAccount({ conversation = '', model }: Spent, isKnown: boolean): Account {
  const { prices } = modelInfo(model);
  const isPriced = prices?.input !== undefined && prices.output !== undefined;
  const ledger = createLedger(
    { window: Number.POSITIVE_INFINITY, prices: isPriced ? prices : UNITS },
    isKnown ? 0 : undefined,
  );
  const currency = isPriced ? 'dollars' : 'units';
  return {
    conversation,
    model,
    requests: 0,
    folds: 0,
    prompt: 0,
    history: 0,
    costs: NOTHING.dollars,
    currency,
    ledger,
  };
}

function chargeTo({ ledger, currency }: Account, { usage, isWhole, history }: Spent): Charge | undefined {
  const used = tokensOf(usage);
  if (!used) return undefined;
  const before = costsIn(ledger);
  // A request whose full size is unknown counts as whole: that claims no savings.
  ledger.add(usage, isWhole || history === undefined ? promptOf(used) : history, isWhole || history === undefined);
  const after = costsIn(ledger);
  const costs = { proxied: after.proxied - before.proxied, direct: after.direct - before.direct };
  return { tokens: sessionTokens(used), currency, costs };
}

function updated(account: Account, { folds = account.folds, history }: Spent, charge: Charge | undefined): Account {
  const { input, cacheRead, cacheWrite } = charge?.tokens ?? NOTHING.tokens;
  const prompt = charge ? input + cacheRead + cacheWrite : account.prompt;
  return {
    ...account,
    requests: account.requests + 1,
    folds,
    prompt,
    history: Math.max(prompt, history ?? 0),
    costs: costsIn(account.ledger),
  };
}

function costsIn(ledger: Ledger): Costs {
  const { cost = 0, everything } = ledger.totals();
  return { proxied: cost, direct: everything?.cost ?? 0 };
}

function plus<T extends object>(sums: T, more: T): T {
  const entries = Object.entries(sums).map(([key, value]) => [key, Number(value) + Number(more[key as keyof T])]);
  return Object.fromEntries(entries) as T;
}
