import { defaultBudget, modelInfo } from '@holdfast/models';
import {
  expireConversations,
  type FittedHistory,
  impatientStore,
  openConversations,
  type SessionStore,
  sqlite,
  type WireMessage,
} from '@holdfast/sessions';
import { HoldfastError, isHoldfastError } from 'holdfast';
import { checkOptions } from './check-options.ts';
import { createConverter, type Form } from './form.ts';
import type { HoldfastEvent, HoldfastOptions } from './options.ts';
import { charsOutside } from './outside.ts';
import { withPairedCalls } from './paired-calls.ts';
import type { Fields } from './parts.ts';
import { recallParts, recallSentence } from './recall-tool.ts';
import { isThinkingRefusal } from './resend.ts';
import { tokensIn } from './tokens.ts';

/** The messages that a framework is about to send. */
export interface Outgoing<N> {
  readonly messages: readonly N[];
  readonly model: string;
  /** The framework's own name for the conversation: a text or a number. Frameworks without types for it may pass anything. */
  readonly conversation?: unknown;
  /** The agent's name for our recall tool, if it has it. */
  readonly recall?: string | undefined;
  /** Everything in the prompt but the messages: system prompt, tools. */
  readonly outside?: unknown;
  /** True if the framework has no place for a second attempt: thinking that may be refused is then left out. */
  readonly once?: boolean;
}

/** What to send instead. */
export interface Bounded<N> {
  readonly messages: N[];
  /** Learns from the usage of the answer. Never throws. */
  answered(usage: unknown): Promise<void>;
  /** The same view without thinking, if this error is an API's refusal of it: later views lack it, too. Otherwise undefined. */
  withoutThinking(error: unknown): Promise<N[] | undefined>;
}

/** Holdfast inside one framework. */
export interface Bridge<N> {
  /** Messages that no fold changed come back as the very same objects. Never throws. */
  fit(outgoing: Outgoing<N>): Promise<Bounded<N>>;
  /** The original that a handle names, or why there is none, for the model: a text, and pictures as files. Never throws. */
  recall(input: unknown): Promise<Fields[]>;
}

/** For a model whose window is unknown. */
const NO_LIMIT = 10_000_000;
/** Characters per token outside the messages: as the engine assumes until an answer reports its usage, and a low estimate. */
const CHARACTERS = { first: 3, low: 4 };
/** Conversations in memory beyond this are forgotten, the longest unused first. */
const MOST_BYTES = 500_000_000;

/** Connects a framework to conversations, each with a window of its own. `name`: of the framework. Throws BAD_CONFIG. */
export function createBridge<N extends object>(name: string, options: HoldfastOptions, form: Form<N>): Bridge<N> {
  checkOptions(options);
  const { max_tokens, limit = NO_LIMIT, reserve = 0, store: given, onEvent: listener = warn, ...more } = options;
  const { store_timeout_ms = 20_000, ...config } = more;
  const { dialect, toWires, toNatives } = createConverter(form);
  let opened: Promise<SessionStore> | undefined;
  const open = () => {
    if (opened) return opened;
    opened = Promise.resolve(given ?? sqlite(':memory:'));
    // A listener may look at folds alone, and would not notice that nothing is kept.
    opened.catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      console.warn(`holdfast: cannot open the store, so conversations are kept in memory alone: ${reason}`);
    });
    return opened;
  };
  // A store that cannot be opened is reported by the first call, not by the process.
  Promise.resolve(given).catch(() => undefined);
  const store = impatientStore(open, store_timeout_ms);
  const conversations = openConversations<WireMessage>({ store, kind: 'integration', ...config });

  const onEvent = (event: HoldfastEvent) => {
    // Whether the listener throws now or its promise fails later.
    new Promise((resolve) => resolve(listener(event))).catch((error: unknown) =>
      console.warn(`holdfast: onEvent threw on ${event.type}: ${String(error)}`),
    );
  };
  const boundsFor = (model: string, outside: number) => {
    const held = reserves(reserve, outside);
    return { limit, ...held, max_tokens: max_tokens ?? defaultBudget(modelInfo(model), held).tokens };
  };
  const report = async ({ conversation = '', receipt, reminder, problem }: FittedHistory<WireMessage>) => {
    if (receipt && receipt.fold > 0) onEvent({ type: 'fold-end', conversation, receipt });
    if (reminder) onEvent({ type: 'reminder-add', conversation, handles: reminder.handles, tokens: reminder.tokens });
    if (problem) onEvent({ type: 'view-fail', conversation, problem });
    if (receipt && !given)
      await expireConversations(store, { olderThan: 0, maxBytes: MOST_BYTES, kind: 'integration' });
  };

  return {
    async fit({ messages, model, conversation, recall, outside, once = false }) {
      try {
        const said = toWires(messages);
        const key = typeof conversation === 'string' || typeof conversation === 'number' ? String(conversation) : '';
        // System prompts change from call to call, such as with the time, and are not part of what was said.
        const system = said.findIndex((message) => dialect.read(message).role !== 'system');
        const first = system < 0 ? said.length : system;
        const fitted = await conversations.fit({
          owner: name,
          dialect,
          model,
          messages: withPairedCalls(dialect, said.slice(first)),
          recall: recallSentence(recall),
          bounds: boundsFor(model, charsOutside([outside, said.slice(0, first)])),
          once,
          ...(key === '' ? {} : { key }),
        });
        await report(fitted);
        const whole = (view: readonly WireMessage[]) => toNatives([...said.slice(0, first), ...view], said);
        return {
          messages: whole(fitted.messages),
          async answered(usage) {
            const tokens = tokensIn(usage);
            if (tokens) await fitted.answered(usage, tokens);
          },
          async withoutThinking(error) {
            const bare = isThinkingRefusal(error) ? await fitted.withoutThinking() : undefined;
            if (bare) onEvent({ type: 'thinking-retry', conversation: fitted.conversation ?? '' });
            return bare && whole(bare);
          },
        };
      } catch (error) {
        const problem = isHoldfastError(error) ? error : new HoldfastError('BAD_STORE', String(error));
        onEvent({ type: 'view-fail', problem });
        return { messages: [...messages], answered: nothing, withoutThinking: nothing };
      }
    },
    recall: (input) => recallParts(store, input),
  };
}

/** What is reserved for everything but the messages. Once it is measured, a high estimate would only waste room. */
function reserves(least: number, chars: number) {
  const { first, low } = CHARACTERS;
  return { reserve: Math.max(least, Math.ceil(chars / low)), first_reserve: Math.ceil(chars / first) };
}

async function nothing(): Promise<undefined> {}

function warn(event: HoldfastEvent): void {
  if (event.type === 'view-fail') console.warn(`holdfast: ${event.problem.message}`);
}
