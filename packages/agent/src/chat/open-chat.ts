import { dialectFor, forkSession, messageText, type WireMessage } from '@holdfast/sessions';
import { type Dialect, HoldfastError } from 'holdfast';
import type { SavedConversation } from '../loop/saved.ts';
import type { ExecutionOptions, ExecutionResult, HeldConversation } from '../providers/provider.ts';
import { messageOf } from '../tools/failure.ts';
import { approved } from './approved.ts';
import { createBounds } from './bounds.ts';
import type { Chat, ChatSetup, Restored, Said, Speaker } from './chat.ts';
import { hindranceOf } from './going-on.ts';
import { createJournal } from './journal.ts';
import { recallByWords, type Searched } from './recall-tool.ts';

/**
 * A chat on a new session, or on one that is there. Throws UNKNOWN_SESSION, BAD_STORE if its log does not add up, and
 * BAD_CONFIG if it was held in another wire format than the provider's or is a crew's.
 */
export async function openChat(setup: ChatSetup): Promise<Chat> {
  const { store } = setup;
  let { speaker } = setup;
  const journal = createJournal(store, setup.session, async () => ({
    name: speaker.name,
    dialect: await dialectOf(speaker),
  }));
  let place = 0;
  const searched = () => ({ session: journal.session, before: place });
  const bounds = createBounds(setup.bounds);
  const { approve } = setup;
  const asking = approve && {
    approve: (...asked: Parameters<typeof approve>) => bounds.waiting(() => approve(...asked)),
  };
  const tools = approved(withRecall(setup, searched), { ...setup, ...asking });
  let restored: Restored | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  /** One after the other; what is in memory is that of the log. */
  const inTurn = <T>(doing: () => Promise<T>): Promise<T> => {
    const mine = turn.then(async () => {
      if (journal.trouble() !== undefined) await load();
      return doing();
    });
    turn = mine.catch(() => undefined);
    return mine;
  };
  const options = (): ExecutionOptions => {
    const archive = journal.archive();
    return {
      ...setup.options,
      model: speaker.model,
      tools,
      ...(setup.system === undefined ? {} : { system: setup.system }),
      ...(setup.conversation ? { conversation: setup.conversation } : {}),
      ...(journal.state === undefined ? {} : { conversationState: journal.state }),
      ...(archive ? { archive } : {}),
      record: journal.record,
    };
  };
  const load = async () => {
    const saved = await journal.load();
    if (!speaker.provider.hold) journal.state = await journal.own();
    return saved;
  };
  /** The conversation to look at: nothing is written, and calls without results are there as if they had been cut off. */
  const held = async <T>(
    doing: (conversation: HeldConversation, cutOff: readonly string[]) => Promise<T>,
  ): Promise<T> => {
    if (!speaker.provider.hold) throw keepsItsOwn(speaker);
    const { record: _, ...unwritten } = options();
    const conversation = await speaker.provider.hold(unwritten);
    return doing(conversation, await conversation.answerOpen());
  };
  const changed = async <T>(doing: (conversation: HeldConversation) => Promise<T>): Promise<T> => {
    if (!speaker.provider.hold) throw keepsItsOwn(speaker);
    if (journal.session === undefined) throw new HoldfastError('UNKNOWN_SESSION', 'nothing was said yet');
    const conversation = await speaker.provider.hold(options());
    await conversation.answerOpen();
    const result = await doing(conversation);
    journal.state = conversation.state();
    return result;
  };
  /** Whoever speaks next says so of calls that a process left open: opening a session alone changes nothing. */
  const answerOpen = async () => {
    if (journal.state === undefined || !speaker.provider.hold) return;
    const conversation = await speaker.provider.hold(options());
    if ((await conversation.answerOpen()).length > 0) journal.state = conversation.state();
  };
  const messageAt = async (index: number): Promise<Said | undefined> => {
    const found = journal.session === undefined ? undefined : await store.message(journal.session, index);
    return found && saidOf(index, found.message, pinsOf(journal.state));
  };
  const newestPrompt = async (): Promise<Said | undefined> => {
    const count = (await journal.info())?.messages ?? 0;
    for (let index = count - 1; index >= 0; index--) {
      const said = await messageAt(index);
      if (said?.role === 'user') return said;
    }
    return undefined;
  };

  /** Throws BAD_CONFIG if this speaker cannot go on with the session. */
  const checkSpeaker = async (next: Speaker) => {
    const info = await journal.info();
    const hindrance = info && (await hindranceOf(store, info, await dialectOf(next)));
    if (hindrance !== undefined)
      throw new HoldfastError('BAD_CONFIG', `${next.name} cannot go on with this session: ${hindrance}`);
  };

  await checkSpeaker(speaker);
  const saved = await load();
  if (saved && !speaker.provider.hold) {
    const messages = (await journal.info())?.messages ?? 0;
    restored = { turns: messages, folded: 0, messages, tokens: 0 };
  } else if (saved) {
    restored = await held(async (conversation, cutOff) => {
      const { total } = await conversation.context();
      return restoredFrom(saved, total, cutOff, (await journal.info())?.messages ?? 0);
    });
  }

  return {
    get session() {
      return journal.session;
    },
    get speaker() {
      return speaker;
    },
    get restored() {
      return restored;
    },
    say: (prompt, how = {}) =>
      inTurn(async () => {
        const over = bounds.spent();
        if (over) return over;
        await journal.begin();
        place = (await journal.info())?.messages ?? 0;
        const before = journal.written;
        const isKept = speaker.provider.hold !== undefined;
        if (isKept) await answerOpen();
        else await recordPrompt(prompt);
        const result = await bounds.run(how.signal, (within) =>
          speaker.provider.execute(prompt, { ...options(), ...how, ...within }),
        );
        const trouble = journal.trouble();
        if (trouble !== undefined) {
          await load();
          if (journal.written === before) throw trouble;
          return { ...result, success: false, errorCategory: 'unknown', error: messageOf(trouble) };
        }
        if (!isKept) await recordAnswer(result);
        journal.state = result.conversationState ?? journal.state;
        if (wasNeverSent(result) && ((await journal.info())?.messages ?? 0) > place) await journal.rewind(place);
        await journal.dropEmpty();
        return result;
      }),
    info: journal.info,
    context: () => inTurn(() => held((conversation) => conversation.context())),
    async said(last) {
      const { session } = journal;
      if (session === undefined) return [];
      const count = (await journal.info())?.messages ?? 0;
      const { items } = await store.history(session, { from: Math.max(0, count - last), limit: last });
      return items.map(({ index, message }) => saidOf(index, message, pinsOf(journal.state)));
    },
    compact: (how = {}) => inTurn(() => (how.preview ? held : changed)((conversation) => conversation.compact(how))),
    uncompact: () => inTurn(() => changed((conversation) => conversation.undo())),
    recompact: () => inTurn(() => changed((conversation) => conversation.redo())),
    pin: (index) =>
      inTurn(async () => {
        const said = index === undefined ? await newestPrompt() : await messageAt(index);
        if (!said)
          throw new HoldfastError(
            'BAD_PIN',
            index === undefined ? 'nothing was said yet' : `there is no message ${index}`,
          );
        await changed((conversation) => conversation.pin(said.index));
        return { ...said, pinned: true };
      }),
    unpin: (index) =>
      inTurn(async () => {
        if (!pinsOf(journal.state).includes(index))
          throw new HoldfastError('BAD_PIN', `message ${index} is not pinned`);
        await changed((conversation) => conversation.unpin(index));
      }),
    async recall(asked, limit = 5) {
      const { session } = journal;
      if (session === undefined) return { hits: [] };
      const [, handle] = /^(m\d+(?:~\d+)?|#\d+)(?:\.\d+|-m\d+(?:~\d+)?)?$/.exec(asked.trim()) ?? [];
      const message = handle === undefined ? undefined : await store.message(session, handle);
      return message ? { message, hits: [] } : { hits: await store.search(asked, { session, limit }) };
    },
    undo: () =>
      inTurn(async () => {
        const said = await newestPrompt();
        if (!said) return undefined;
        if (!speaker.provider.hold) throw keepsItsOwn(speaker);
        const before = await journal.info();
        await journal.rewind(said.index);
        const folds = (before?.folds ?? 0) - ((await journal.info())?.folds ?? 0);
        return { prompt: said.text, messages: (before?.messages ?? 0) - said.index, folds };
      }),
    fork: () =>
      inTurn(async () => {
        if (journal.session === undefined)
          throw new HoldfastError('UNKNOWN_SESSION', 'nothing was said yet: there is nothing to fork');
        return forkSession(store, journal.session);
      }),
    use: (next) =>
      inTurn(async () => {
        await checkSpeaker(next);
        const before = speaker;
        speaker = next;
        if (journal.state === undefined) return;
        await held((conversation) => conversation.context()).catch((error: unknown) => {
          speaker = before;
          throw error;
        });
      }),
    close: () => turn.then(() => undefined),
  };

  /** For a provider that keeps its own conversation. */
  async function recordPrompt(prompt: string): Promise<void> {
    const { name, model } = speaker;
    const info = await journal.info();
    const isKnown = info?.provider === name && info.model === model;
    await journal.record([
      ...(isKnown ? [] : [{ type: 'model' as const, provider: name, model, dialect: 'openai-chat' }]),
      { type: 'message', message: { role: 'user', content: prompt } },
    ]);
  }

  /** What a provider that keeps its own conversation said, and what it needs to go on. */
  async function recordAnswer({ output, tokenUsage, cost, conversationState }: ExecutionResult): Promise<void> {
    const { inputTokens: input = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = tokenUsage ?? {};
    const tokens = { input, output: outputTokens, cache_read: cacheReadTokens, cache_write: cacheWriteTokens };
    await journal.record([
      ...(output === '' ? [] : [{ type: 'message' as const, message: { role: 'assistant', content: output } }]),
      { type: 'usage', tokens, ...(cost ? { cost: cost.spent } : {}), model: speaker.model, state: conversationState },
    ]);
  }
}

const dialects = new WeakMap<Speaker, string | undefined>();

/** The wire format of a provider, by a conversation in which nothing was said. */
async function dialectOf(speaker: Speaker): Promise<string | undefined> {
  if (!dialects.has(speaker)) {
    const empty = await speaker.provider.hold?.({ model: speaker.model });
    dialects.set(speaker, (empty?.state() as SavedConversation<WireMessage> | undefined)?.window.dialect);
  }
  return dialects.get(speaker);
}

function withRecall({ store, tools = [] }: ChatSetup, searched: () => Searched) {
  const given = tools.find(({ name }) => name === 'recall');
  return [...tools.filter((tool) => tool !== given), recallByWords(store, searched, given)];
}

function saidOf(index: number, message: WireMessage, pins: readonly number[]): Said {
  const { role } = (dialectFor(undefined, message) as Dialect<WireMessage>).read(message);
  return { index, role: role === 'system' ? 'user' : role, text: messageText(message), pinned: pins.includes(index) };
}

function pinsOf(state: unknown): readonly number[] {
  return (state as SavedConversation<WireMessage> | undefined)?.window?.pins ?? [];
}

/** Nothing came of the prompt, nor would anything the next time: it must not stand in the way of what is said next. */
function wasNeverSent({ success, requests = 0, errorCategory }: ExecutionResult): boolean {
  return !success && requests === 0 && (errorCategory === 'context_overflow' || errorCategory === 'invalid_request');
}

function restoredFrom(
  { window, pending, dropped = {} }: SavedConversation<WireMessage>,
  tokens: number,
  cutOff: readonly string[],
  messages: number,
): Restored {
  const top = window.log.at(-1);
  const masked = window.turns.filter(({ cuts }) => cuts).length;
  const last = pending.at(-1);
  const isWaiting = last !== undefined && dialectFor(window.dialect, last).read(last).role !== 'assistant';
  const interrupted =
    cutOff.length > 0
      ? `the process ended during ${cutOff.join(', ')}: the model is told so`
      : isWaiting
        ? 'the last answer never arrived: say something, and the model goes on'
        : undefined;
  return {
    turns: window.turns.length + pending.length,
    folded: (top === undefined ? 0 : (dropped[top.covered] ?? 0)) + masked,
    messages,
    tokens,
    ...(top?.note === undefined ? {} : { note: top.note }),
    ...(interrupted === undefined ? {} : { interrupted }),
  };
}

function keepsItsOwn({ name }: Speaker): HoldfastError {
  return new HoldfastError('BAD_CONFIG', `${name} keeps its own conversation, and nobody else can change it`);
}
