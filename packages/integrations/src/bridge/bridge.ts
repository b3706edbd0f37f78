import {
  type Conversations,
  createConversations,
  expireConversations,
  type FittedHistory,
  recalledText,
  recallHandle,
  type SessionStore,
  type SessionTokens,
  sqlite,
  type WireMessage,
} from '@holdfast/sessions';
import { type Dialect, HoldfastError, isHoldfastError } from 'holdfast';
import type { HoldfastEvent, HoldfastOptions } from './options.ts';
import { recallSentence } from './recall-tool.ts';

/** How a framework's messages become those of a dialect. Only notes and shortened copies are converted back. */
export interface Form<N extends object, M extends WireMessage> {
  readonly dialect: Dialect<M>;
  toWire(native: N): M;
  fromWire(message: M): N;
}

/** The messages that a framework is about to send. */
export interface Outgoing<N> {
  readonly messages: readonly N[];
  readonly model: string;
  /** The framework's own name for the conversation, if it has one. Frameworks without types for it may pass anything. */
  readonly conversation?: unknown;
  /** The agent's name for our recall tool, if it has it. */
  readonly recall?: string | undefined;
  /** Everything in the prompt but the messages: system prompt, tools. */
  readonly outside?: unknown;
}

/** What to send instead. */
export interface Bounded<N> {
  readonly messages: N[];
  /** Learns from the usage of the answer. Never throws. */
  answered(usage: unknown, tokens: SessionTokens): Promise<void>;
}

/** Holdfast inside one framework. */
export interface Bridge<N> {
  /** Messages that no fold changed come back as the very same objects. Never throws. */
  fit(outgoing: Outgoing<N>): Promise<Bounded<N>>;
  /** The original that a handle names, or why there is none, as text for the model. Never throws. */
  recall(handle: unknown): Promise<string>;
}

/** For a model whose window is unknown. */
const NO_LIMIT = 10_000_000;
/** A low estimate for the first request: later ones know from the usage. */
const CHARACTERS = 4;
/** Conversations in memory beyond this are forgotten, the longest unused first. */
const MOST_BYTES = 500_000_000;

/** Connects a framework to conversations, each with a window of its own. `name`: of the framework. */
export function createBridge<N extends object, M extends WireMessage>(
  name: string,
  options: HoldfastOptions,
  form: Form<N, M>,
): Bridge<N> {
  const { max_tokens, limit = NO_LIMIT, reserve = 0, store: given, onEvent: listener = warn, ...config } = options;
  const { dialect } = form;
  const wires = new WeakMap<N, M>();
  const natives = new WeakMap<M, N>();
  let store: PromiseLike<SessionStore> | undefined;
  let conversations: Promise<Conversations<M>> | undefined;

  // A store that cannot be opened is reported by the first call, not by the process.
  Promise.resolve(given).catch(() => undefined);
  const open = () => (store ??= Promise.resolve(given ?? sqlite(':memory:')));
  const opened = () =>
    (conversations ??= (async () => createConversations<M>({ store: await open(), config, kind: 'integration' }))());

  const toWire = (native: N): M => {
    const wire = wires.get(native) ?? form.toWire(native);
    wires.set(native, wire);
    natives.set(wire, native);
    return wire;
  };
  const toNative = (message: M): N => natives.get(message) ?? form.fromWire(message);

  const onEvent = (event: HoldfastEvent) => {
    // Whether the listener throws now or its promise fails later.
    new Promise((resolve) => resolve(listener(event))).catch((error: unknown) =>
      console.warn(`holdfast: onEvent threw on ${event.type}: ${String(error)}`),
    );
  };
  const report = async ({ conversation = '', receipt, reminder, problem }: FittedHistory<M>) => {
    if (receipt && receipt.fold > 0) onEvent({ type: 'fold-end', conversation, receipt });
    if (reminder) onEvent({ type: 'reminder-add', conversation, handles: reminder.handles, tokens: reminder.tokens });
    if (problem) onEvent({ type: 'view-fail', conversation, problem });
    if (receipt && !given)
      await expireConversations(await open(), { olderThan: 0, maxBytes: MOST_BYTES, kind: 'integration' });
  };

  return {
    async fit({ messages, model, conversation, recall, outside }) {
      try {
        const said = messages.map(toWire);
        const key = String(conversation ?? '');
        // System prompts change from call to call, such as with the time, and are not part of what was said.
        const system = said.findIndex((message) => dialect.read(message).role !== 'system');
        const first = system < 0 ? said.length : system;
        const fitted = await (await opened()).fit({
          owner: name,
          dialect,
          model,
          messages: said.slice(first),
          recall: recallSentence(recall),
          bounds: { max_tokens, limit, reserve: Math.max(reserve, tokensOf([outside, said.slice(0, first)])) },
          ...(key === '' ? {} : { key }),
        });
        await report(fitted);
        const view = fitted.isWhole ? messages.slice(first) : fitted.messages.map(toNative);
        return { messages: [...messages.slice(0, first), ...view], answered: fitted.answered };
      } catch (error) {
        const problem = isHoldfastError(error) ? error : new HoldfastError('BAD_STORE', String(error));
        onEvent({ type: 'view-fail', problem });
        return { messages: [...messages], answered: async () => undefined };
      }
    },
    async recall(handle) {
      try {
        return recalledText(await recallHandle(await open(), String(handle)));
      } catch (error) {
        return isHoldfastError(error) ? error.message : `the original cannot be read: ${String(error)}`;
      }
    },
  };
}

function tokensOf(outside: unknown): number {
  return Math.ceil((JSON.stringify(outside)?.length ?? 0) / CHARACTERS);
}

function warn(event: HoldfastEvent): void {
  if (event.type === 'view-fail') console.warn(`holdfast: ${event.problem.message}`);
}
