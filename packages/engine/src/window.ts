import type { ConversationHistoryConfig } from './config.ts';
import { CoreWindow } from './core-window.ts';
import type { DialectName, MessageOf } from './dialects/detect.ts';
import { withEveryPart } from './every-part.ts';
import type { WindowParts } from './window/parts.ts';

/** A window with all that the engine has: every dialect and their detection, every language, reminders, repair, summaries. */
class Complete<M = unknown> extends CoreWindow<M> {
  constructor(config: ConversationHistoryConfig = {}, parts: WindowParts<M> = {}) {
    super(config, withEveryPart(parts ?? {}));
  }
}

export type ConversationWindow<M = unknown> = Complete<M>;

/** The dialect gives the type of the messages, by its name or its own type, unless the caller names another. */
export const ConversationWindow: {
  readonly prototype: ConversationWindow;
  /** Throws BAD_CONFIG or BAD_STATE. */
  new <N extends DialectName>(
    config: ConversationHistoryConfig | undefined,
    parts: WindowParts<MessageOf<N>> & { readonly dialect: N },
  ): ConversationWindow<MessageOf<N>>;
  new <M = unknown>(config?: ConversationHistoryConfig, parts?: WindowParts<M>): ConversationWindow<M>;
} = Complete;
