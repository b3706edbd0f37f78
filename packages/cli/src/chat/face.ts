import type { Chat, Speaker } from '@holdfast/agent/chat';
import type { SessionStore } from '@holdfast/sessions';
import type { Style } from '../view/style.ts';
import type { Opened } from './chat.ts';

/** How a chat shows itself to a person, wherever that is. */
export interface Face {
  readonly style: Style;
  readonly columns: number;
  /** Rows that stay, none wider than `columns`. */
  print(rows: readonly string[]): void;
  /** True for a yes. Where nobody can be asked, what was asked for is done. */
  confirm(question: string): Promise<boolean>;
  /** Puts a text where the person writes. */
  fill(text: string): void;
}

/** All that a command may use. */
export interface Talk {
  readonly chat: Chat;
  readonly store: SessionStore;
  readonly face: Face;
  readonly cwd: string;
  readonly home: string;
  /** False for a store that ends with this process. */
  readonly isKept: boolean;
  /** The same provider with another model. Throws WrongUse. */
  speaker(model: string): Speaker;
  /** Models that are known of this provider. */
  readonly models: readonly string[];
}

/** What a command may use of this chat, with this face. */
export function talkOf({ chat, store, model, models, home, isKept }: Opened, cwd: string, face: Face): Talk {
  const speaker = (name: string) => ({ ...chat.speaker, provider: model.withModel(name), model: name });
  return { chat, store, face, cwd, home, isKept, models, speaker };
}
