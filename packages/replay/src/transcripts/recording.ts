import type { ChatMessage, RecordedPrompt } from '../index.ts';

/** What wrote a transcript. `messages`: a list of messages in any format. */
export type TranscriptForm = 'messages' | 'claude-code' | 'codex' | 'holdfast' | 'pydantic-ai';

/** One recorded conversation, ready for replay. Plain data. */
export interface Recording {
  /** The file, and which of its conversations if there are several. */
  readonly name: string;
  readonly form: TranscriptForm;
  readonly model?: string;
  /** In OpenAI chat form: every call has a result, and the user speaks first. */
  readonly messages: readonly ChatMessage[];
  /** When each was sent, in milliseconds since 1970, if known. */
  readonly times: readonly (number | undefined)[];
  /** The provider's token counts, in the order of the answers. */
  readonly prompts: readonly RecordedPrompt[];
}

/** What was skipped or changed, and why. */
export interface TranscriptRemark {
  readonly file: string;
  /** The first line concerned, from 1; 0 for the whole file. */
  readonly line: number;
  readonly reason: string;
  /** How many lines it concerns. */
  readonly count: number;
}

/** Records a remark. */
export type Tell = (line: number, reason: string) => void;

/** Collects the remarks of one file: each reason once, with its first line. */
export function createRemarks(file: string): { readonly tell: Tell; list(): TranscriptRemark[] } {
  const found = new Map<string, { line: number; count: number }>();
  return {
    tell(line, reason) {
      const known = found.get(reason);
      if (known) known.count += 1;
      else found.set(reason, { line, count: 1 });
    },
    list: () => [...found].map(([reason, { line, count }]) => ({ file, line, reason, count })),
  };
}

/** Reads the values of one format from a file, line by line. */
export interface Reader {
  /** The conversations that end with this line, usually none. */
  take(line: number, value: unknown): readonly Recording[];
  /** What is left when the file ends. */
  end(): readonly Recording[];
}
