import type { Chat, Speaker } from '@holdfast/agent/chat';
import type { ModelOverrides } from '@holdfast/models';
import type { SessionStore } from '@holdfast/sessions';
import type { Style } from '../../view/style.ts';
import { wrapText } from '../../view/text.ts';
import type { Opened } from '../chat.ts';
import type { ChatPermissions } from '../permissions.ts';

/** A slash command. Help and completion are derived from these, too. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Its arguments, for help. */
  readonly args?: string;
  readonly about: string;
  /** Returns 'leave' to end the chat. Errors are printed, and the chat continues. */
  run(args: string, talk: CommandContext): Promise<'leave' | undefined>;
}

/** The interface that a command prints to. */
export interface ChatInterface {
  readonly style: Style;
  readonly columns: number;
  /** Rows of the screen. Absent where there is none. */
  readonly height?: number;
  /** Prints rows, none wider than `columns`. */
  print(rows: readonly string[]): void;
  /** Asks yes or no; always yes where there is no one to ask. */
  confirm(question: string): Promise<boolean>;
  /** Lets the user choose; undefined if they do not. Absent where there is no one to ask. */
  choose?(question: string, options: readonly string[], now: string): Promise<string | undefined>;
  /** Puts a text into the input line. */
  fill(text: string): void;
}

/** What a command may use. */
export interface CommandContext {
  readonly chat: Chat;
  readonly store: SessionStore;
  readonly face: ChatInterface;
  readonly cwd: string;
  readonly home: string;
  /** False for a store in memory. */
  readonly isKept: boolean;
  /** The same provider with another model. Throws WrongUse. */
  speaker(model: string): Speaker;
  /** Known models of this provider. */
  readonly models: readonly string[];
  readonly permissions: ChatPermissions;
  /** Of models that the configuration adds or changes. */
  readonly prices: ModelOverrides;
  /** Replaces the chat by a new one with the same model and tools. */
  startOver(): Promise<void>;
}

/** What commands may use of an open chat; `chat` is the current one, also after `/clear`. */
export function commandContext(opened: Opened, cwd: string, face: ChatInterface): CommandContext {
  const { store, model, models, home, isKept, permissions, prices, startOver } = opened;
  return {
    get chat() {
      return opened.chat;
    },
    ...{ store, face, cwd, home, isKept, models, permissions, prices, startOver },
    speaker: (name) => ({ ...opened.chat.speaker, provider: model.withModel(name), model: name }),
  };
}

/** Prints a sentence. */
export function say(face: CommandContext['face'], text: string): undefined {
  face.print(wrapText(text, face.columns));
  return undefined;
}
