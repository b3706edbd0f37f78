import { type Dialect, type Fitted, HoldfastError, isHoldfastError } from 'holdfast';
import type { WireMessage } from '../entry.ts';
import { conflict } from '../log/head.ts';
import { Conversation, type SentView, type Setup, withoutThinking } from './conversation.ts';
import { closest, rootIn, rootOf, sketchOf, takesOver } from './identity.ts';
import type { Conversations, FittedHistory, IncomingHistory } from './incoming.ts';
import { createOpenings, type Opening } from './openings.ts';
import { createSuccession } from './succession.ts';

/** Tokens of all views in memory; beyond that, the windows used longest ago are freed, and loaded again when needed. */
const MOST_TOKENS = 12_000_000;
/** Groups of conversations that are remembered at all. */
const MOST_GROUPS = 10_000;
/** How many conversations without a log that start alike are remembered. They are short, so forgetting one loses nothing. */
const MOST_ALIKE = 500;
/** How often a history is fitted while other processes write to its conversation; how many that look like it are compared. */
const ATTEMPTS = 3;

/** All conversations that start alike, by owner and first answer. Their calls wait for each other. */
interface Group<M extends WireMessage> {
  conversations: readonly Conversation<M>[];
  queue: Promise<unknown>;
  /** Calls waiting or running. */
  busy: number;
  /** Tokens of its views. */
  size: number;
  /** True once it has what the store holds. */
  isRead: boolean;
}

/** What became of a history: its view, or why there is none. */
interface Outcome<M extends WireMessage> {
  readonly conversation: Conversation<M> | undefined;
  readonly fitted?: Fitted<M> | undefined;
  readonly problem?: HoldfastError | undefined;
}

/**
 * Conversations whose histories others keep. A history that continues a known one gets its window, an equal one the same view,
 * and any other a fork from what both share, so that neither disturbs the other. The store holds what folds need, so that
 * another process continues with the same view.
 */
export function createConversations<M extends WireMessage>(setup: Setup): Conversations<M> {
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

  const openings = createOpenings<Conversation<M>, M>((conversation, ...used) =>
    enqueue(groupOf(rootIn(conversation.session)), () => conversation.record(...used)),
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
    const begin = () => {
      opening = openings.take(history, sketches);
      return Conversation.start<M>(setup, history.dialect, root, opening);
    };
    for (let conflicts = 0; ; ) {
      if (!group.isRead) await readStored(setup, group, root, history);
      const known = { group, sketches, lookalikes, begin };
      const { conversation, common, from } = await conversationFor(setup, root, history, known);
      try {
        const fitted = await conversation.fit(history, common);
        if ('changed' in fitted) {
          lookalikes.set(from ?? conversation, fitted.changed);
          if (from) await setup.store.delete(conversation.session);
          else await conversation.reload();
          continue;
        }
        if (!group.conversations.includes(conversation)) group.conversations = [...group.conversations, conversation];
        conversation.used = ++uses;
        conversation.hint = history.hint ?? conversation.hint;
        const isFirstFold = conversation.folds > 0 && !conversation.isStored;
        if (isFirstFold && (await readStored(setup, group, root, history))) throw conflict(conversation.session, 0, 1);
        await conversation.keep(history, sketches, fitted);
        if (succession && conversation.isStored) {
          const place = `${history.owner}\u0000${history.key}`;
          if (isFirstFold) remove(succession.obsolete(place, conversation, sketches));
          succession.note(place, conversation);
        }
        return { conversation, fitted };
      } catch (error) {
        if (opening && !group.conversations.includes(conversation)) openings.putBack(opening);
        if (isAboutHistory(error)) return { conversation, problem: error };
        // If it was not written, it did not happen.
        await conversation.reload().catch(() => undefined);
        group.isRead = false;
        if (!isConflict(error) || ++conflicts >= ATTEMPTS) return { conversation, problem: storeProblem(error) };
      }
    }
  };

  /** Removes a conversation unless it is used meanwhile. */
  const remove = (conversation: Conversation<M> | undefined) => {
    if (!conversation) return;
    const { session, used } = conversation;
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
          conversation: knownConversation(group, sketches, history.hint),
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

function newGroup<M extends WireMessage>(): Group<M> {
  return { conversations: [], queue: Promise.resolve(), busy: 0, size: 0, isRead: false };
}

/** The conversations without those that have no log and were used longest ago, if there are too many. */
function withoutIdle<M extends WireMessage>(conversations: readonly Conversation<M>[]): readonly Conversation<M>[] {
  const short = conversations.filter(({ isStored }) => !isStored);
  if (short.length <= MOST_ALIKE) return conversations;
  const idle = new Set(short.sort((a, b) => a.used - b.used).slice(0, short.length - MOST_ALIKE));
  return conversations.filter((conversation) => !idle.has(conversation));
}

/** Adds the conversations that only the store knows, of earlier or other processes; false if there are none. */
async function readStored<M extends WireMessage>(
  setup: Setup,
  group: Group<M>,
  root: string,
  { dialect }: IncomingHistory<M>,
): Promise<boolean> {
  const before = group.conversations.length;
  for (const { id, messages } of await setup.store.list({ prefix: `${root}-` })) {
    if (messages === 0 || group.conversations.some(({ session }) => session === id)) continue;
    // A damaged log cannot be continued, and is left as it is.
    const loaded = await Conversation.load(setup, dialect, id).catch(() => undefined);
    if (loaded) group.conversations = [...group.conversations, loaded];
  }
  group.isRead = true;
  return group.conversations.length > before;
}

/** What is known when a history looks for its conversation. `begin`: starts a new one. */
interface Known<M extends WireMessage> {
  readonly group: Group<M>;
  readonly sketches: readonly string[];
  readonly lookalikes: ReadonlyMap<Conversation<M>, number>;
  begin(): Conversation<M>;
}

/** The conversation that the history belongs to, how much of it they share, and for a new fork the one that it came from. */
async function conversationFor<M extends WireMessage>(
  setup: Setup,
  root: string,
  { hint, key }: IncomingHistory<M>,
  { group, sketches, lookalikes, begin }: Known<M>,
): Promise<{ readonly conversation: Conversation<M>; readonly common: number; readonly from?: Conversation<M> }> {
  const nearest = closest(group.conversations, sketches, hint, lookalikes);
  if (nearest && (await nearest.track.isOutdated())) await nearest.track.reload();
  const match = closest(group.conversations, sketches, hint, lookalikes);
  if (!match || lookalikes.size === ATTEMPTS) return { conversation: begin(), common: 0 };
  const { track, common } = match;
  if (takesOver(match)) return { conversation: track, common };
  // Without a name, two users of one application may have begun alike. All that a proxy's caller sends is the caller's own.
  const conversation = (await track.fork(root, common, setup.kind === 'integration' && key === undefined)) ?? begin();
  return { conversation, common: conversation.sketches.length, from: track };
}

/** The conversation that a history continues, as far as memory knows: the store cannot be read. */
function knownConversation<M extends WireMessage>(
  { conversations }: Group<M>,
  sketches: readonly string[],
  hint: string | undefined,
): Conversation<M> | undefined {
  const { track, common } = closest(conversations, sketches, hint) ?? {};
  return common === track?.sketches.length ? track : undefined;
}

/** What to send: the view. Without one, as it came while the model accepts that, else the last view and what is new. */
function messagesOf<M extends WireMessage>(
  { conversation, fitted, problem }: Outcome<M>,
  history: IncomingHistory<M>,
): readonly M[] {
  if (fitted) return fitted.messages;
  if (!conversation || (problem?.code === 'OVER_BUDGET' && conversation.estimate(history) <= history.bounds.limit))
    return history.messages;
  return conversation.lastView(history);
}

const UNRECORDED = { sent: async () => undefined, answered: async () => undefined };

function asItCame<M>({ messages }: IncomingHistory<M>): FittedHistory<M> {
  return { messages, isWhole: true, withoutThinking: async () => undefined, ...UNRECORDED };
}

function answerable<M extends WireMessage>(
  outcome: Outcome<M> & { readonly messages: readonly M[] },
  history: IncomingHistory<M>,
  enqueue: <T>(work: () => Promise<T>) => Promise<T>,
): FittedHistory<M> {
  const { conversation, fitted, problem, messages } = outcome;
  return {
    ...(conversation ? { conversation: conversation.scope } : {}),
    messages,
    isWhole: messages.length === history.messages.length && messages.every((one, i) => one === history.messages[i]),
    ...(fitted ? { metrics: fitted.metrics } : {}),
    ...(fitted?.receipt ? { receipt: fitted.receipt } : {}),
    ...(fitted?.reminder ? { reminder: fitted.reminder } : {}),
    ...(problem ? { problem } : {}),
    async withoutThinking() {
      const bare = bareMessages(history.dialect, messages);
      if (bare && conversation && fitted) await enqueue(() => conversation.dropThinking(fitted)).catch(() => undefined);
      return bare;
    },
    ...(conversation
      ? recording(conversation, { model: history.model, metrics: fitted?.metrics, sent: messages.length }, enqueue)
      : UNRECORDED),
  };
}

/** Not a closure over the view: a caller that waits minutes for an answer must not keep its messages in memory. */
function recording<M extends WireMessage>(
  conversation: Conversation<M>,
  view: SentView,
  enqueue: (work: () => Promise<void>) => Promise<void>,
): Pick<FittedHistory<M>, 'sent' | 'answered'> {
  return {
    sent: (request) =>
      enqueue(async () => {
        view.request = await conversation.sent(request);
      }).catch(() => undefined),
    answered: (usage, tokens, cost) => {
      const spent = { tokens, ...(cost === undefined ? {} : { cost }) };
      return enqueue(() => conversation.answered(usage, spent, view)).catch(() => undefined);
    },
  };
}

/** Undefined if there is no thinking in them, or they cannot be read. */
function bareMessages<M>(dialect: Dialect<M>, messages: readonly M[]): readonly M[] | undefined {
  try {
    const bare = messages.map((message) => withoutThinking(dialect, message));
    return bare.some((message, at) => message !== messages[at]) ? bare : undefined;
  } catch {
    return undefined;
  }
}

function isAboutHistory(error: unknown): error is HoldfastError {
  return isHoldfastError(error) && (error.code === 'INVALID_HISTORY' || error.code === 'OVER_BUDGET');
}

function isConflict(error: unknown): boolean {
  return isHoldfastError(error) && error.code === 'STORE_CONFLICT';
}

function storeProblem(error: unknown): HoldfastError {
  if (isHoldfastError(error)) return error;
  return new HoldfastError('BAD_STORE', `cannot keep the conversation: ${String(error)}`);
}
