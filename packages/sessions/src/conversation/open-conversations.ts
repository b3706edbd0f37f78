import {
  type ConversationHistoryConfig,
  configuredBudget,
  DIALECT_NAMES,
  type Dialect,
  type DialectName,
  dialectNamed,
  HoldfastError,
  type MessageOf,
} from 'holdfast';
import type { ConversationKind, SessionStore } from '../store.ts';
import { type ByPrefix, byPrefix } from './by-prefix.ts';
import { Conversation } from './conversation.ts';
import type { ConversationParts, ConversationPlace } from './parts.ts';

/** Where conversations are kept, their dialect, what is plugged into them, and the configuration of their windows. */
export interface OpenOptions<M>
  extends ConversationHistoryConfig,
    Omit<ConversationParts<M>, 'dialect' | 'config' | 'archive'> {
  readonly store: SessionStore;
  /** Needed for `open`; a history that `fit` gets brings its own. */
  readonly dialect?: Dialect<M> | DialectName;
  /** Of those that `open` returns. Default: strict. Those that `fit` finds are lenient. */
  readonly durability?: ConversationPlace['durability'];
  /** What the log names as the provider of those that `open` returns. Default: `own`. */
  readonly provider?: string;
  /** Who keeps the histories that `fit` gets. Default: the proxy. */
  readonly kind?: ConversationKind;
}

/** Finds or opens conversations in a store. */
export interface Conversations<M> extends ByPrefix<M> {
  /**
   * The conversation of this session, which is created when it is first written to; without an id, a new one. Throws BAD_STORE
   * if its log is damaged, and BAD_CONFIG if it is in another dialect.
   */
  open(session?: string): Promise<Conversation<M>>;
  /** The view of a history, in the conversation with its longest known prefix. Never throws: see `problem`. */
  fit: ByPrefix<M>['fit'];
}

/**
 * Conversations in a store, each with a window, a log and an archive that agree whatever happens. The store stays open. Throws
 * BAD_CONFIG.
 */
export function openConversations<N extends DialectName>(
  options: OpenOptions<MessageOf<N>> & { readonly dialect: N },
): Conversations<MessageOf<N>>;
export function openConversations<M>(options: OpenOptions<M>): Conversations<M>;
export function openConversations<M>(options: OpenOptions<M>): Conversations<M> {
  const { store, dialect: given, durability = 'strict', provider = 'own', kind = 'proxy', ...rest } = options;
  const { tokens, summarizer, prices, logger, onEvent, handles, ...config } = rest;
  const plugged = { tokens, summarizer, prices, logger, onEvent, handles };
  const parts = Object.fromEntries(Object.entries(plugged).filter(([, part]) => part !== undefined));
  configuredBudget(config);
  const found = byPrefix<M>({ store, config, kind });
  return {
    ...found,
    async open(session) {
      if (given === undefined) throw new HoldfastError('BAD_CONFIG', `dialect: expected one, such as 'anthropic'`);
      const dialect = (typeof given === 'string' ? dialectNamed(given) : given) as Dialect<M>;
      const info = session === undefined ? undefined : await store.info(session);
      // An unknown name says nothing.
      const isKnown = DIALECT_NAMES.some((name) => name === info?.dialect);
      if (info && isKnown && info.messages > 0 && info.dialect !== dialect.name)
        throw new HoldfastError(
          'BAD_CONFIG',
          `dialect: session ${session} is in ${info.dialect}, not ${dialect.name}: pass that, or another id`,
        );
      const conversation = new Conversation<M>({ ...parts, dialect, config }, { store, durability, provider }, session);
      await conversation.refresh({ check: true, sketches: false });
      return conversation;
    },
  };
}
