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
  { words: pattern(`length should be \\[\\d+, ${N}\\]`), limit: 1 },
  { words: pattern(`must be <= ${N}\\. Given: ${N} .*? tokens and ${N}`), limit: 1, size: 2, output: 3 },
];
/** Older words count the answer, too, and say so at times. */
const OLDER = pattern(
  `maximum context length (?:is|of) ${N} tokens(?:.*?(?:resulted in|requested)(?: about| a total of)? ${N})?(?:.*?${N} (?:tokens )?(?:in|for) the (?:completion|output))?`,
);

/** What may stand between the prompt and what is said of it: its size, in words and figures. */
const SIZE =
  /(?:[\s\d,.()+`'":]|\b(?:tokens?|count|length|size|total|number|window|image|text|of|in|for|the|and|your|request(?:ed)?|query|max_\w*tokens|is|are|was|were|has|have|should|must|can|not|cannot)\b){0,60}/;
/** What it is measured by: nothing but a maximum, of tokens or of the context. */
const BOUND =
  /(?:(?:the|its|this|your|our|a|model|model['’]s|server['’]s|available|supported|allowed|configured|total|max|maximum|context|prompt|input|message|sequence|tokens?|number|of) ){0,6}(?:context[ _](?:window|length|limit|size)|(?:max(?:imum)?|input|prompt|sequence|model|allowed) length|limit|max_\w+|tokens(?: allowed)?)\b/;
/** A figure behind it, of anything but tokens, or what else there is a limit of. */
const OF_OTHERS =
  /(?:(?: of| is|:)? ?\(?\d[\d,]*(?:\.\d+)?\)? ?(?!tokens?\b|for\b|but\b|and\b|in\b)[a-z]| of (?!the\b|this\b|your\b|our\b|a\b|model|input|prompt|context|tokens?\b)[a-z])/;
const MORE = /(?:exceed(?:s|ed|ing)?|(?:longer|larger|greater|more) than|>)/;
const PROMPT = /\b(?<!max_|\[)(?:prompt|inputs?|request(?:ed)?|messages|conversation|context|tokens)\b(?![\].[])/;
const AT_MOST = /\b(?:be|have) (?:<=?|less than|fewer than|at most|no more than)(?: or equal to)? ?\d[\d,]*/;
const NOT_ANSWER = /(?<!(?:output|completion|generated|new) )/;

/** What is said of a prompt that is too long, and of nothing else: a context window alone may be about anything. */
const WORDS = [
  /\b(?:prompt|input|context|conversation)(?: tokens?)?(?: (?:length|size|count))? (?:is |was )?too (?:long|large)\b/,
  /\breduce the length of (?:the |your )?(?:messages|prompt|input)/,
  joined(NOT_ANSWER, PROMPT, SIZE, MORE, / /, BOUND, `(?!${OF_OTHERS.source})`),
  // As a rule that was broken: `inputs` must have less than 1024 tokens.
  joined(PROMPT, SIZE, AT_MOST, / tokens?\b/),
  joined(/\b(?:prompt|inputs?)\b[`'"]? tokens\b/, SIZE, AT_MOST),
  joined(PROMPT, SIZE, / (?:be )?(?:<=?|less than|at most)(?: or equal to)? max_(?:seq|input|model|num)\w*/),
  /range of (?:input|prompt) length should be|default_max_tokens\W.{0,20}should be greater than 0/,
  /exceed\w* (?:the |its |this |your )?(?:[\w'’.-]+ ){0,3}context[ _](?:window|length|limit|size)/,
  /(?:context|prompt|model|tokens?) (?:max(?:imum)? )?(?:window|length|limit|size)(?: (?:of|for) [^.]{1,60})?(?: (?:was|is|has been))? (?:exceeded|overflow|too small)/,
  /maximum (?:context|prompt|input|sequence) length (?:is|of) \d|\d maximum context length|loaded with context length of only/,
  /input tokens exceed|too many (?:input |prompt )?tokens|token count \(?\d[^.]{0,20} exceeds/,
].map((words) => new RegExp(words.source, 'i'));
const CODES =
  /context_(?:length|window|size|limit)_exceeded|exceed_context_size|(?:prompt|input)_tokens_exceeded|token_quantity_exceeded|prompt_too_long/;

/** The overflow that an error tells of; undefined if it is about something else. Pure. */
export function overflowOf({ status, message, code = '', n_ctx, n_prompt_tokens }: Told): Overflow | undefined {
  const isTold = CODES.test(code) || status === 413;
  const said = message.slice(0, READ_CHARS);
  if (!isTold && !(isAboutRequest(status) && WORDS.some((words) => words.test(said)))) return undefined;
  if (isCount(n_ctx)) return { limit: n_ctx, ...(isCount(n_prompt_tokens) ? { size: n_prompt_tokens } : {}) };
  for (const { words, limit, size, output } of FIGURES) {
    const found = words.exec(said);
    if (found) return figures(found[limit], size && found[size], output && found[output]);
  }
  const [, limit, all, output] = OLDER.exec(said) ?? [];
  const size = all === undefined ? undefined : String(count(all) - count(output));
  return limit === undefined ? compared(said) : figures(limit, size, output);
}

/** The rest of a page says nothing new. */
const READ_CHARS = 4_000;

/** Servers between refuse a request with the status of a fault of their own. */
function isAboutRequest(status = 400): boolean {
  return status === 400 || status === 422 || status >= 500;
}

/** Fewer tokens are no prompt, and no limit of one. */
const LEAST = 100;

/** Of two figures in words of their own, the larger is the prompt, since it is too long. With more, it is anybody's guess. */
function compared(message: string): Overflow {
  const found = [...message.matchAll(/(?<![\w.-])\d[\d,]*(?![\w-]|\.[1-9])/g)].map(([digits]) => count(digits));
  const [one, other, ...more] = [...new Set(found)].filter((value) => value >= LEAST);
  if (one === undefined || other === undefined || more.length > 0) return {};
  return { size: Math.max(one, other), limit: Math.min(one, other) };
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

function joined(...parts: readonly (RegExp | string)[]): RegExp {
  return new RegExp(parts.map((part) => (typeof part === 'string' ? part : part.source)).join(''));
}

function pattern(source: string): RegExp {
  return new RegExp(source, 's');
}
