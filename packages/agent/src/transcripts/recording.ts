import type { ChatMessage, RecordedPrompt } from 'holdfast/replay';

/** Who wrote a transcript. `messages`: a list of messages of any wire format. */
export type TranscriptForm = 'messages' | 'claude-code' | 'codex' | 'holdfast' | 'pydantic-ai';

/** One recorded conversation, ready to be replayed. Plain data. */
export interface Recording {
  /** The file, and which conversation of it where there are several. */
  readonly name: string;
  readonly form: TranscriptForm;
  readonly model?: string;
  /** In OpenAI chat form: every call answered, the user first. */
  readonly messages: readonly ChatMessage[];
  /** When each was said, in milliseconds since 1970, where that is known. */
  readonly times: readonly (number | undefined)[];
  /** What the provider counted, in the order of the answers. */
  readonly prompts: readonly RecordedPrompt[];
}

/** What was not read, or not as it stands, and why. */
export interface Remark {
  readonly file: string;
  /** The first line that it is about, from 1; 0: the file as a whole. */
  readonly line: number;
  readonly reason: string;
  /** How many lines. */
  readonly count: number;
}

/** Takes down what was not read. */
export type Tell = (line: number, reason: string) => void;

/** Remarks of one file, the same reason once with its first line. */
export function createRemarks(file: string): { readonly tell: Tell; list(): Remark[] } {
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
