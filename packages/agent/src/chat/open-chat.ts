import {
  type CallResult,
  type Conversation,
  dialectFor,
  eachMessage,
  forkSession,
  messageText,
  type PlacedMessage,
  type SessionEntry,
  type SessionInfo,
  type WireMessage,
} from '@holdfast/sessions';
import { type Dialect, HoldfastError, handleTarget, messageHandle, noteText } from 'holdfast';
import { reserveOf } from '../loop/window-config.ts';
import type { ExecutionOptions, ExecutionResult, HeldConversation, Tool } from '../providers/provider.ts';
import { openSession, ownState, requestsOf } from '../session/open-session.ts';
import { answerEntries, promptEntries } from '../session/own-conversation.ts';
import { resumeProblem } from '../session/wire-format.ts';
import { messageOf } from '../tools/failure.ts';
import { recallByWords } from '../tools/recall-by-words.ts';
import { approved } from './approved.ts';
import { type Bounds, createBounds } from './bounds.ts';
import type { Chat, ChatSetup, Restored, ShownMessage, Speaker } from './chat.ts';

/**
 * A chat on a new session, or on an existing one. Sends nothing. Throws UNKNOWN_SESSION, BAD_STORE if its log is damaged, and
 * BAD_CONFIG if the provider speaks another wire format than the session, or the session belongs to a crew.
 */
export async function openChat(setup: ChatSetup): Promise<Chat> {
  const chat = new SessionChat(setup);
  await chat.open();
  return chat;
}

class SessionChat implements Chat {
  speaker: Speaker;
  restored: Restored | undefined;
  readonly #setup: ChatSetup;
  /** Undefined until the chat is open. */
  #opened: Conversation<WireMessage> | undefined;
  /** The newest state of a provider that keeps its own conversation. */
  #own: unknown;
  readonly #bounds: Bounds;
  readonly #tools: readonly Tool[];
  /** The position of the newest prompt. */
  #place = 0;
  /** What `undo` removed since the last prompt, the next to redo last. */
  #undone: { readonly prompt: string; readonly entries: readonly SessionEntry[] }[] = [];
  /** Settles when the last call did: calls run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(setup: ChatSetup) {
    const { approve, bounds } = setup;
    this.#setup = setup;
    this.speaker = setup.speaker;
    this.#bounds = createBounds(bounds);
    const asking = approve && {
      approve: (...asked: Parameters<typeof approve>) => this.#bounds.waiting(() => approve(...asked)),
    };
    this.#tools = approved(this.#withRecall(), { ...setup, ...asking });
  }

  async open(): Promise<void> {
    const { store, session } = this.#setup;
    const info = session === undefined ? undefined : await store.info(session);
    await this.#checkSpeaker(this.speaker, info);
    await this.#begin();
    const { messages } = this.#conversation;
    if (messages === 0) return;
    const reserve = this.#isHeld() ? reserveOf(this.#options()) : undefined;
    this.restored = await restoredFrom(this.#conversation, messages, reserve);
  }

  get session(): string | undefined {
    return this.#conversation.session;
  }

  info: Chat['info'] = () => this.#conversation.info();

  say: Chat['say'] = (prompt, how = {}) =>
    this.#inTurn(async () => {
      const over = this.#bounds.spent();
      if (over) return over;
      const conversation = this.#conversation;
      const { name, model, provider } = this.speaker;
      this.#undone = [];
      await conversation.begin();
      const info = await conversation.info();
      this.#place = info?.messages ?? 0;
      const before = conversation.stored;
      if (provider.hold) await this.#answerOpen();
      else await conversation.record(promptEntries(prompt, { name, model }, info));
      const result = await this.#bounds.run(how.signal, (within) =>
        provider.execute(prompt, { ...this.#options(), ...how, ...within }),
      );
      const { failure, stored } = conversation;
      if (failure !== undefined) {
        await conversation.refresh();
        if (stored === before) throw failure;
        return { ...result, success: false, errorCategory: 'unknown', error: messageOf(failure) };
      }
      if (!provider.hold) await conversation.record(answerEntries(result, model));
      if (!provider.hold) this.#own = result.conversationState ?? this.#own;
      if (wasNeverSent(result) && conversation.stored > this.#place) await conversation.rewind(this.#place);
      await this.#dropEmpty();
      return result;
    });

  context: Chat['context'] = () => this.#inTurn(() => this.#look((conversation) => conversation.context()));

  note: Chat['note'] = () => this.#conversation.note;

  async said(last: number): Promise<ShownMessage[]> {
    const { session } = this;
    if (session === undefined) return [];
    const count = (await this.info())?.messages ?? 0;
    const { items } = await this.#setup.store.history(session, { from: Math.max(0, count - last), limit: last });
    return items.map((item) => this.#shown(item));
  }

  compact: Chat['compact'] = (how = {}) =>
    this.#inTurn(() =>
      how.preview
        ? this.#look((conversation) => conversation.compact(how))
        : this.#change((conversation) => conversation.compact(how)),
    );

  uncompact: Chat['uncompact'] = () => this.#inTurn(() => this.#change((conversation) => conversation.undo()));
  recompact: Chat['recompact'] = () => this.#inTurn(() => this.#change((conversation) => conversation.redo()));

  pin: Chat['pin'] = (index) =>
    this.#inTurn(async () => {
      const found = index === undefined ? await this.#newestPrompt() : await this.#messageAt(index);
      const problem = index === undefined ? 'nothing has been said yet' : `there is no message ${index}`;
      if (!found) throw new HoldfastError('BAD_PIN', problem);
      await this.#change((conversation) => conversation.pin(found.index));
      return { ...found, pinned: true };
    });

  unpin: Chat['unpin'] = (index) =>
    this.#inTurn(async () => {
      if (!this.#pins().includes(index)) throw new HoldfastError('BAD_PIN', `message ${index} is not pinned`);
      await this.#change((conversation) => conversation.unpin(index));
    });

  recall: Chat['recall'] = async (asked, limit = 5) => {
    const { session } = this;
    const { store } = this.#setup;
    if (session === undefined) return { hits: [] };
    const target = handleTarget(asked);
    const handle = target ? messageHandle(target.index, target.revision) : asked.trim();
    const message = target || /^#\d+$/.test(handle) ? await store.message(session, handle) : undefined;
    return message ? { message, hits: [] } : { hits: await store.search(asked, { session, limit }) };
  };

  undo: Chat['undo'] = () =>
    this.#inTurn(async () => {
      const newest = await this.#newestPrompt();
      if (!newest) return undefined;
      if (!this.#isHeld()) throw keepsItsOwn(this.speaker);
      const before = await this.info();
      const entries: SessionEntry[] = [];
      for await (const { message } of eachMessage(this.#setup.store, this.session ?? '', newest.index))
        entries.push({ type: 'message', message });
      await this.#conversation.rewind(newest.index);
      this.#undone.push({ prompt: newest.text, entries });
      const folds = (before?.folds ?? 0) - ((await this.info())?.folds ?? 0);
      return { prompt: newest.text, messages: entries.length, folds };
    });

  redo: Chat['redo'] = () =>
    this.#inTurn(async () => {
      const last = this.#undone.at(-1);
      if (!last) return undefined;
      await this.#conversation.record(last.entries);
      this.#undone.pop();
      await this.#conversation.refresh();
      return { prompt: last.prompt, messages: last.entries.length };
    });

  fork: Chat['fork'] = () =>
    this.#inTurn(async () => {
      if (this.session !== undefined) return forkSession(this.#setup.store, this.session);
      throw new HoldfastError('UNKNOWN_SESSION', 'nothing has been said yet: there is nothing to fork');
    });

  use: Chat['use'] = (next) =>
    this.#inTurn(async () => {
      await this.#checkSpeaker(next, await this.info());
      const before = this.speaker;
      this.speaker = next;
      if (this.#conversation.messages === 0 || !next.provider.hold) return;
      await this.#look((conversation) => conversation.context()).catch((error: unknown) => {
        this.speaker = before;
        throw error;
      });
    });

  close: Chat['close'] = () => this.#last.then(() => undefined);

  /** Runs `work` after earlier calls, on the conversation as the log has it. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(async () => {
      if (this.#conversation.failure !== undefined) await this.#conversation.refresh();
      return work();
    });
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  #isHeld(): boolean {
    return this.speaker.provider.hold !== undefined;
  }

  get #conversation(): Conversation<WireMessage> {
    if (!this.#opened) throw new HoldfastError('BAD_STATE', 'the chat is not open');
    return this.#opened;
  }

  async #begin(session = this.#setup.session): Promise<void> {
    const { store } = this.#setup;
    this.#opened = await openSession(store, session, this.speaker.provider.dialect);
    this.#own = session === undefined || this.#isHeld() ? undefined : await ownState(store, session);
  }

  /** Deletes a session that was created here if none of its messages counts. */
  async #dropEmpty(): Promise<void> {
    const { session } = this;
    if (this.#setup.session !== undefined || session === undefined || (await this.info())?.messages !== 0) return;
    await this.#setup.store.delete(session);
    await this.#begin(undefined);
  }

  #options(conversation = this.#conversation): ExecutionOptions {
    const { options, system, conversation: config } = this.#setup;
    const { name, model } = this.speaker;
    const session = { conversation, provider: name, folder: options?.cwd };
    return {
      ...options,
      model,
      tools: this.#tools,
      ...(system === undefined ? {} : { system }),
      ...(config ? { conversation: config } : {}),
      ...(this.#isHeld() ? { session } : {}),
      ...(this.#own === undefined ? {} : { conversationState: this.#own }),
      onRequest: requestsOf(conversation),
    };
  }

  async #hold(options: ExecutionOptions): Promise<HeldConversation> {
    if (!this.speaker.provider.hold) throw keepsItsOwn(this.speaker);
    return this.speaker.provider.hold(options);
  }

  /** Reads the conversation as the next prompt would find it. Writes nothing. */
  async #look<T>(work: (conversation: HeldConversation) => Promise<T>): Promise<T> {
    const conversation = await this.#hold(this.#options(this.#conversation.copy()));
    await conversation.answerOpen();
    return work(conversation);
  }

  async #change<T>(work: (conversation: HeldConversation) => Promise<T>): Promise<T> {
    if (this.#isHeld() && this.session === undefined)
      throw new HoldfastError('UNKNOWN_SESSION', 'nothing has been said yet');
    const conversation = await this.#hold(this.#options());
    await conversation.answerOpen();
    return work(conversation);
  }

  /** Tells the model about calls that an earlier process left open, before the next prompt. */
  async #answerOpen(): Promise<void> {
    if (this.#conversation.messages > 0) await (await this.#hold(this.#options())).answerOpen();
  }

  async #messageAt(index: number): Promise<ShownMessage | undefined> {
    const { session } = this;
    const found = session === undefined ? undefined : await this.#setup.store.message(session, index);
    return found && this.#shown(found);
  }

  async #newestPrompt(): Promise<ShownMessage | undefined> {
    const count = (await this.info())?.messages ?? 0;
    for (let index = count - 1; index >= 0; index--) {
      const found = await this.#messageAt(index);
      if (found?.role === 'user') return found;
    }
    return undefined;
  }

  #shown({ index, handle, message }: PlacedMessage): ShownMessage {
    const { role } = (dialectFor(undefined, message) as Dialect<WireMessage>).read(message);
    const pinned = this.#pins().includes(index);
    return { index, handle, role: role === 'system' ? 'user' : role, text: messageText(message), pinned };
  }

  #pins(): readonly number[] {
    return this.#conversation.pins;
  }

  async #checkSpeaker({ name, provider }: Speaker, info: SessionInfo | undefined): Promise<void> {
    const hindrance = info && (await resumeProblem(this.#setup.store, info, provider.dialect));
    if (hindrance !== undefined)
      throw new HoldfastError('BAD_CONFIG', `${name} cannot continue this session: ${hindrance}`);
  }

  #withRecall(): Tool[] {
    const { store, tools = [] } = this.#setup;
    const given = tools.find(({ name }) => name === 'recall');
    const searched = () => ({ session: this.session, before: this.#place });
    return [...tools.filter((tool) => tool !== given), recallByWords(store, searched, given)];
  }
}

/** True if a prompt failed before it was sent, and always would: it must not stay in the conversation. */
function wasNeverSent({ success, requests = 0, errorCategory }: ExecutionResult): boolean {
  return !success && requests === 0 && (errorCategory === 'context_overflow' || errorCategory === 'invalid_request');
}

/** What the log says about a session. `reserve`: undefined if the provider keeps its own conversation. */
async function restoredFrom(
  conversation: Conversation<WireMessage>,
  messages: number,
  reserve: number | undefined,
): Promise<Restored> {
  if (reserve === undefined) return { turns: messages, folded: 0, messages, tokens: 0 };
  const { window, pending, results = [], dropped = {} } = conversation.state();
  const dialect = dialectFor(window.dialect, ...pending) as Dialect<WireMessage>;
  const top = window.log.at(-1);
  const masked = window.turns.filter(({ cuts }) => cuts).length;
  const interrupted = interruptedIn(
    pending.map((message) => dialect.read(message)),
    results,
  );
  const copy = conversation.copy();
  copy.reopen({ dialect, config: { max_messages: 0, reserve } });
  return {
    turns: window.turns.length + pending.length,
    folded: (top === undefined ? 0 : (dropped[top.covered] ?? 0)) + masked,
    messages,
    tokens: await viewTokens(copy, [...window.view, ...pending]),
    ...(top?.note === undefined ? {} : { note: noteText(top.note) }),
    ...(interrupted === undefined ? {} : { interrupted }),
  };
}

/** Tokens of the next view; estimated by characters while calls are open. */
async function viewTokens(conversation: Conversation<WireMessage>, messages: readonly WireMessage[]): Promise<number> {
  const preview = await conversation.compact({ preview: true }).catch(() => undefined);
  return preview?.before.tokens ?? conversation.estimate(messages);
}

function interruptedIn(
  readings: readonly ReturnType<Dialect<WireMessage>['read']>[],
  results: readonly CallResult[],
): string | undefined {
  const done = new Set([...readings.flatMap((reading) => reading.results), ...results].map(({ id }) => id));
  const open = readings.flatMap(({ calls }) => calls).filter(({ id }) => !done.has(id));
  if (open.length > 0)
    return `the process ended during ${open.map(({ name }) => name).join(', ')}: the model will be informed`;
  const role = readings.at(-1)?.role;
  if (role === undefined || role === 'assistant') return undefined;
  return 'the last answer never arrived: say something, and the model continues';
}

function keepsItsOwn({ name }: Speaker): HoldfastError {
  return new HoldfastError('BAD_CONFIG', `${name} keeps its own conversation, which cannot be changed from here`);
}
