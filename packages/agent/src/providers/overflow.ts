/** What an API said of a prompt that is too long, as far as it said it: its tokens, and how many there may be. */
export interface Overflow {
  readonly size?: number;
  readonly limit?: number;
}

const ANTHROPIC = /prompt is too long: (\d+) tokens > (\d+)/;
const WITH_OUTPUT = /exceed context limit: (\d+) \+ (\d+) > (\d+)/;
const OPENAI = /limit of (\d+) tokens\. Your messages resulted in (\d+)/;
const OLDER =
  /maximum context length is (\d+) tokens(?:.*?(?:resulted in|requested) (\d+))?(?:.*?(\d+) in the completion)?/s;
const WORDS = /prompt is too long|context (?:window|length|limit)|input tokens exceed|too many (?:input )?tokens/i;

/** The overflow that an error tells of; undefined if it is about something else. Pure. */
export function overflowOf(status: number | undefined, message: string, code: string): Overflow | undefined {
  const isTold = code === 'context_length_exceeded' || status === 413;
  if (!isTold && !((status ?? 400) === 400 && WORDS.test(message))) return undefined;
  return (
    withOutput(message) ?? plain(ANTHROPIC.exec(message), 2, 1) ?? plain(OPENAI.exec(message), 1, 2) ?? older(message)
  );
}

function withOutput(message: string): Overflow | undefined {
  const [, size, output, limit] = WITH_OUTPUT.exec(message) ?? [];
  return limit === undefined ? undefined : { size: Number(size), limit: Number(limit) - Number(output) };
}

function plain(match: RegExpExecArray | null, limit: number, size: number): Overflow | undefined {
  return match ? { size: Number(match[size]), limit: Number(match[limit]) } : undefined;
}

/** Older words count the answer, too, and say so at times. */
function older(message: string): Overflow {
  const [, limit, size, output = 0] = OLDER.exec(message) ?? [];
  if (limit === undefined) return {};
  const most = Number(limit) - Number(output);
  return size === undefined ? { limit: most } : { limit: most, size: Number(size) - Number(output) };
}
