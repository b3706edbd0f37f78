import type { ConversationHistoryConfig, Dialect, HoldfastError } from 'holdfast';
import { isHoldfastError } from 'holdfast';
import { conflict } from '../log/head.ts';
import type { ConversationKind, SessionStore } from '../store.ts';
import { answerable, asItCame, messagesOf, type Outcome } from './answering.ts';
import { Conversation } from './conversation.ts';
import { closest, commonWith, newScope, rootIn, rootOf, sessionFor, sketchOf, takesOver } from './identity.ts';
import type { FittedHistory, IncomingHistory } from './incoming.ts';
import { createOpenings, type Opening } from './openings.ts';
import { isConflict, storeProblem } from './problems.ts';
import { createSuccession } from './succession.ts';

/** Tokens of all views in memory; beyond that, the windows used longest ago are freed, and restored when needed. */
const MOST_TOKENS = 12_000_000;
/** Groups of conversations that are remembered at all. */
const MOST_GROUPS = 10_000;
/** How many conversations without a log that start alike are remembered. They are short, so forgetting one loses nothing. */
const MOST_ALIKE = 500;
/** How often a history is fitted while other processes write to its conversation; how many that look like it are compared. */
const ATTEMPTS = 3;

/** What all conversations share. `kind`: who keeps the histories. */
interface Setup {
  readonly store: SessionStore;
  readonly config: ConversationHistoryConfig;
  readonly kind: ConversationKind;
}

/** All conversations that start alike, by owner and first answer. Their calls wait for each other. */
interface Group<M> {
  conversations: readonly Conversation<M>[];
  queue: Promise<unknown>;
  /** Calls waiting or running. */
  busy: number;
  /** Tokens of its views. */
  size: number;
  /** True once it has what the store holds. */
  isRead: boolean;
}

/** Finds for each history, by its longest known prefix, the conversation that it continues. */
export interface ByPrefix<M> {
  fit(history: IncomingHistory<M>): Promise<FittedHistory<M>>;
  /** Waits for calls in progress. */
  close(): Promise<void>;
}

/**
 * Conversations whose histories others keep. A history that continues a known one gets its conversation, an equal one the same
 * view, and any other a fork from what both share, so that neither disturbs the other. The store holds what folds need, so that
 * another process continues with the same view.
 */
export function byPrefix<M>(setup: Setup): ByPrefix<M> {
  const groups = new Map<string, Group<M>>();
  // A framework has the whole history elsewhere. For a client behind the proxy, nothing is deleted on a guess.
  const succession = setup.kind === 'integration' ? createSuccession<Conversation<M>>() : undefined;
  let uses = 0;
  /** Tokens of all views. */
  let tokens = 0;

  const enqueue = <T>(group: Group<M>, work: () => Promise<T>): Promise<T> => {
    group.busy++;
    const mine = group.queue.then(work).finally(() => group.busy--);
    group.queue = mine.catch(() => undefined);
    return mine;
  };

  const openings = createOpenings<Conversation<M>, M>((conversation, used, request) =>
    enqueue(groupOf(rootIn(conversation.session ?? '')), () => conversation.recordUsage(used, request)),
  );

  const groupOf = (root: string): Group<M> => {
    const group = groups.get(root) ?? newGroup<M>();
    // The one used last comes last.
    groups.delete(root);
    groups.set(root, group);
    return group;
  };

  const fitIn = async (
    group: Group<M>,
    root: string,
    history: IncomingHistory<M>,
    sketches: readonly string[],
  ): Promise<Outcome<M>> => {
    // Conversations whose sketches are the same although they differ, and where they do.
    const lookalikes = new Map<Conversation<M>, number>();
    let opening: Opening<Conversation<M>> | undefined;
    /** Why the store cannot be read, if it cannot. */
    let problem: HoldfastError | undefined;
    const reading = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await work();
      } catch (error) {
        problem = storeProblem(error);
        group.isRead = false;
        return undefined;
      }
    };
    const begin = () => {
      opening = openings.take(history, sketches);
      const session = sessionFor(root, opening?.scope ?? newScope());
      const conversation = create(setup, history.dialect, session);
      if (opening) conversation.inherit(opening.earlier);
      if (opening) opening.conversation = conversation;
      conversation.isBlind = problem !== undefined;
      return conversation;
    };
    for (let conflicts = 0; ; ) {
      problem = undefined;
      if (!group.isRead) await reading(() => readStored(setup, group, root, history.dialect));
      const known = { group, sketches, lookalikes, begin, reading };
      const { conversation, common, from } = await conversationFor(setup, root, history, known);
      try {
        const fitted = await conversation.fitGiven(history, sketches, { most: common, forks: true });
        if ('changed' in fitted) {
          lookalikes.set(from ?? conversation, fitted.changed);
          if (from) await setup.store.delete(conversation.session ?? '');
          else await conversation.refresh();
          continue;
        }
        if (!group.conversations.includes(conversation)) group.conversations = [...group.conversations, conversation];
        conversation.used = ++uses;
        conversation.hint = history.hint ?? conversation.hint;
        const isFirstFold = conversation.folds > 0 && !conversation.isStored;
        if (isFirstFold && (await reading(() => readStored(setup, group, root, history.dialect))))
          throw conflict(conversation.session ?? '', 0, 1);
        const kept = await conversation.keep(history, sketches, fitted);
        if (succession && conversation.isStored) {
          const place = `${history.owner}\u0000${history.key}`;
          if (isFirstFold) remove(succession.obsolete(place, conversation, sketches));
          succession.note(place, conversation);
        }
        return { conversation, problem, ...kept };
      } catch (error) {
        if (opening && !group.conversations.includes(conversation)) openings.putBack(opening);
        if (isAboutHistory(error)) return { conversation, problem: error };
        // If it was not written, it did not happen.
        await reading(() => conversation.refresh());
        if (!conversation.isStored) group.conversations = group.conversations.filter((one) => one !== conversation);
        group.isRead = false;
        if (!isConflict(error) || ++conflicts >= ATTEMPTS) return { conversation, problem: storeProblem(error) };
      }
    }
  };

  /** Removes a conversation unless it is used meanwhile. */
  const remove = (conversation: Conversation<M> | undefined) => {
    const { session, used } = conversation ?? {};
    if (!conversation || session === undefined) return;
    const group = groupOf(rootIn(session));
    enqueue(group, async () => {
      if (conversation.used !== used || (await conversation.isOutdated())) return;
      group.conversations = group.conversations.filter((one) => one !== conversation);
      await setup.store.delete(session);
    }).catch(() => undefined);
  };

  const weigh = (group: Group<M>) => {
    group.conversations = withoutIdle(group.conversations);
    const size = group.conversations.reduce((sum, one) => sum + one.size, 0);
    tokens += size - group.size;
    group.size = size;
  };

  /** Frees memory, beginning with what was used longest ago. */
  const tidy = () => {
    for (const [root, group] of groups) {
      if (tokens <= MOST_TOKENS && groups.size <= MOST_GROUPS) return;
      if (group.busy > 0) continue;
      tokens -= group.size;
      groups.delete(root);
    }
  };

  return {
    async fit(history) {
      const sketches = history.messages.map((message) => sketchOf(history.dialect, message));
      const root = rootOf(history.owner, sketches, history.key);
      if (root === undefined) return sketches.length === 0 ? asItCame(history) : openings.open(history, sketches);
      const group = groupOf(root);
      const outcome = await enqueue(group, async () => {
        const found = await fitIn(group, root, history, sketches).catch((error: unknown) => ({
          conversation: undefined,
          problem: storeProblem(error),
        }));
        weigh(group);
        return { ...found, messages: messagesOf(found, history) };
      });
      tidy();
      return answerable(outcome, history, (work) => enqueue(group, work));
    },
    async close() {
      await Promise.all([...groups.values()].map(({ queue }) => queue));
    },
  };
}

function newGroup<M>(): Group<M> {
  return { conversations: [], queue: Promise.resolve(), busy: 0, size: 0, isRead: false };
}

function create<M>({ store, config, kind }: Setup, dialect: Dialect<M>, session: string) {
  const parts = { dialect, config: { ...config, max_messages: 0 }, logger: { warn: () => undefined } };
  return new Conversation<M>(parts, { store, durability: 'lenient', provider: kind }, session);
}

/** The conversations without those that have no log and were used longest ago, if there are too many. */
function withoutIdle<M>(conversations: readonly Conversation<M>[]): readonly Conversation<M>[] {
  const short = conversations.filter(({ isStored }) => !isStored);
  if (short.length <= MOST_ALIKE) return conversations;
  const idle = new Set(short.sort((a, b) => a.used - b.used).slice(0, short.length - MOST_ALIKE));
  return conversations.filter((conversation) => !idle.has(conversation));
}

/** Adds the conversations that only the store knows, of earlier or other processes; false if there are none. */
async function readStored<M>(setup: Setup, group: Group<M>, root: string, dialect: Dialect<M>): Promise<boolean> {
  const before = group.conversations;
  const found: Conversation<M>[] = [];
  for (const { id, messages } of await setup.store.list({ prefix: `${root}-` })) {
    if (messages === 0 || before.some(({ session }) => session === id)) continue;
    const one = create(setup, dialect, id);
    // A damaged log cannot be continued, and is left as it is.
    await one.refresh().catch(() => undefined);
    if (one.isStored) found.push(one);
  }
  // What began while the store could not be read gives way to what the store has of the same conversation.
  const rest = before.filter((one) => !one.isBlind || one.isStored || !found.some((other) => isBegunBy(one, other)));
  for (const one of rest) one.isBlind = false;
  group.conversations = [...rest, ...found];
  group.isRead = true;
  return found.length > 0;
}

/** True if a conversation continues another one. */
function isBegunBy<M>(one: Conversation<M>, track: Conversation<M>): boolean {
  return takesOver({ track, common: commonWith(track.sketches, one.sketches) });
}

/** What is known when a history looks for its conversation. `begin`: starts a new one; `reading`: does without the store. */
interface Known<M> {
  readonly group: Group<M>;
  readonly sketches: readonly string[];
  readonly lookalikes: ReadonlyMap<Conversation<M>, number>;
  begin(): Conversation<M>;
  reading<T>(work: () => Promise<T>): Promise<T | undefined>;
}

/** The conversation that the history belongs to, how much of it they share, and for a new fork the one that it came from. */
async function conversationFor<M>(
  setup: Setup,
  root: string,
  { hint, key }: IncomingHistory<M>,
  { group, sketches, lookalikes, begin, reading }: Known<M>,
): Promise<{ readonly conversation: Conversation<M>; readonly common: number; readonly from?: Conversation<M> }> {
  const nearest = closest(group.conversations, sketches, hint, lookalikes)?.track;
  if (nearest)
    await reading(async () => {
      if (await nearest.isOutdated()) await nearest.refresh();
    });
  const match = closest(group.conversations, sketches, hint, lookalikes);
  if (!match || lookalikes.size === ATTEMPTS) return { conversation: begin(), common: 0 };
  const { track, common } = match;
  if (takesOver(match)) return { conversation: track, common };
  // Without a name, two users of one application may have begun alike. All that a proxy's caller sends is the caller's own.
  const apart = setup.kind === 'integration' && key === undefined;
  const branch = await reading(() => track.branch(sessionFor(root, newScope()), common, apart));
  const conversation = branch ?? begin();
  return { conversation, common: conversation.sketches.length, ...(branch ? { from: track } : {}) };
}

function isAboutHistory(error: unknown): error is HoldfastError {
  return isHoldfastError(error) && (error.code === 'INVALID_HISTORY' || error.code === 'OVER_BUDGET');
}
