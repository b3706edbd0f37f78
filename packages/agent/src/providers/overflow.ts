/** What an API said of a prompt that is too long, as far as it said it: its tokens, and how many there may be. */
export interface Overflow {
  readonly size?: number;
  readonly limit?: number;
}

/** An error as an API told it. */
export interface Told {
  readonly status?: number | undefined;
  readonly message: string;
  /** Its type and its code. */
  readonly code?: string;
  /** Figures that stand beside the words: llama.cpp tells them so. */
  readonly n_ctx?: unknown;
  readonly n_prompt_tokens?: unknown;
}

const N = String.raw`(\d[\d,]*)`;
/** Figures as servers tell them, with the places of limit and size, and of tokens for the answer that the limit counts, too. */
const FIGURES: readonly {
  readonly words: RegExp;
  readonly limit: number;
  readonly size?: number;
  readonly output?: number;
}[] = [
  { words: pattern(`exceed context limit: ${N} \\+ ${N} > ${N}`), size: 1, output: 2, limit: 3 },
  { words: pattern(`prompt is too long: ${N} tokens > ${N}`), size: 1, limit: 2 },
  { words: pattern(`limit of ${N} tokens\\. Your messages resulted in ${N}`), limit: 1, size: 2 },
  {
    words: pattern(`token count \\(${N}\\) exceeds the maximum number of tokens allowed \\(${N}\\)`),
    size: 1,
    limit: 2,
  },
  {
    words: pattern(`request \\(${N} tokens\\) exceeds the available context size \\(${N} tokens\\)`),
    size: 1,
    limit: 2,
  },
  {
    words: pattern(`maximum context length is ${N} tokens and your request has ${N} input tokens \\(${N} >`),
    limit: 1,
    size: 2,
    output: 3,
  },
  { words: pattern(`contains ${N} tokens.*?model with ${N} maximum context length`), size: 1, limit: 2 },
];
/** Older words count the answer, too, and say so at times. */
const OLDER = pattern(
  `maximum context length is ${N} tokens(?:.*?(?:resulted in|requested) ${N})?(?:.*?${N} in the completion)?`,
);
/** What is said of a prompt that is too long, and of nothing else: a context window alone may be about anything. */
const WORDS = [
  /(?:prompt|input) is too long/i,
  /exceed\w* (?:the |its |this |your )?(?:[\w'’.-]+ ){0,3}context[ _](?:window|length|limit|size)/i,
  /context (?:window|length|limit|size)(?: (?:of|for) [^.]{1,60})?(?: (?:was|is|has been))? (?:exceeded|overflow|too small)/i,
  /maximum context length (?:is|of) \d|\d maximum context length|loaded with context length of only/i,
  /input tokens exceed|too many (?:input |prompt )?tokens|token count \(?\d[^.]{0,20} exceeds/i,
];
const CODES = /context_length_exceeded|exceed_context_size/;

/** The overflow that an error tells of; undefined if it is about something else. Pure. */
export function overflowOf({ status, message, code = '', n_ctx, n_prompt_tokens }: Told): Overflow | undefined {
  const isTold = CODES.test(code) || status === 413;
  if (!isTold && !((status ?? 400) === 400 && WORDS.some((words) => words.test(message)))) return undefined;
  if (isCount(n_ctx)) return { limit: n_ctx, ...(isCount(n_prompt_tokens) ? { size: n_prompt_tokens } : {}) };
  for (const { words, limit, size, output } of FIGURES) {
    const found = words.exec(message);
    if (found) return figures(found[limit], size && found[size], output && found[output]);
  }
  const [, limit, all, output] = OLDER.exec(message) ?? [];
  const size = all === undefined ? undefined : String(count(all) - count(output));
  return limit === undefined ? {} : figures(limit, size, output);
}

function figures(limit: unknown, size: unknown, output: unknown): Overflow {
  const most = count(limit) - count(output);
  return { ...(most > 0 ? { limit: most } : {}), ...(size === undefined ? {} : { size: count(size) }) };
}

function count(digits: unknown): number {
  return Number(String(digits ?? 0).replaceAll(',', ''));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function pattern(source: string): RegExp {
  return new RegExp(source, 's');
}
