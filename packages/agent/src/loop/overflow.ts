import { defined } from '../defined.ts';
/** A prompt that is too long, as far as the API said it: its tokens, and how many are allowed. `request.ts` reacts to it. */
export interface Overflow {
  readonly size?: number;
  readonly limit?: number;
}

/** An error as an API reported it. */
export interface ReportedError {
  readonly status?: number | undefined;
  readonly message: string;
  /** Its type and its code. */
  readonly code?: string;
  /** llama.cpp has its figures in fields of their own. */
  readonly n_ctx?: unknown;
  readonly n_prompt_tokens?: unknown;
}

const CODES =
  /context_(?:length|window|size|limit)_exceeded|exceed_context_size|(?:prompt|input)_tokens_exceeded|token_quantity_exceeded|prompt_too_long/;

/** A sentence is about an overflow if it names the prompt, says that it is too much, and measures it in tokens … */
const PROMPT = /\b(?:prompt|inputs?|request(?:ed)?|messages|conversation|context|tokens)\b(?!\[)/i;
const TOO_MUCH =
  /exceed|\babove\b|\bover the\b|(?:longer|larger|greater|more) than|too (?:long|large|many)|>|\b(?:be|have) (?:<|less than|fewer than|at most|no more than)/i;
const IN_TOKENS =
  /\btokens?\b|context (?:window|length|limit|size)|\b(?:max(?:imum)?|prompt|input|sequence|model|allowed)(?: allowed)? length\b/i;
/** … and not in anything else, for a field, or by the clock. */
const OTHER_MEASURE =
  /\b(?:strings?|names?|ids?|array|items|images|characters|files|[kmg]i?b|bytes|sessions|quota|per (?:second|min(?:ute)?|hour|day))\b/i;
/** Tokens of an answer are not part of the prompt. */
const ANSWER = /`?\b(?:max_\w*tokens|(?:output|completion|generated|new) tokens)\b`?/gi;

/** Sentences that lack one of these parts and can mean nothing else. */
const FIXED_WORDS = [
  /\b(?:prompt|input|context|conversation)(?: tokens?)?(?: (?:length|size|count))? (?:is |was )?too (?:long|large)\b/i,
  /\breduce the length of (?:the |your )?(?:messages|prompt|input)/i,
  /range of (?:input|prompt) length should be/i,
  /default_max_tokens\W.{0,20}(?:should|must) be greater than 0/i,
  /max_tokens must be at least 1, got -\d/i,
  /(?:larger|greater) than `?max_seq_len\b/i,
  /maximum (?:context|prompt|input|sequence) length (?:is|of) \d|loaded with context length of only/i,
  /(?:context|prompt|model) (?:max(?:imum)? )?(?:window|length|limit|size)(?: (?:was|is|has been))? (?:exceeded|overflow|too small)/i,
];

/** `all` is the prompt with the answer, and `limit` counts the answer too where `output` is known. */
const FIGURES = [
  'exceed context limit: <size> \\+ <output> > <limit>',
  'prompt is too long: <size> tokens > <limit>',
  'limit of <limit> tokens\\. Your messages resulted in <size>',
  'token count \\(<size>\\) exceeds the maximum number of tokens allowed \\(<limit>\\)',
  'request \\(<size> tokens\\) exceeds the available context size \\(<limit> tokens\\)',
  'maximum context length is <limit> tokens and your request has <size> input tokens \\(<output> >',
  'contains <size> tokens.*?model with <limit> maximum context length',
  'length should be \\[\\d+, <limit>\\]',
  'max_seq_len \\(<limit>\\) - `splited_prompt_len` \\(<size>\\)',
  'must be <= <limit>\\. Given: <size> .*? tokens and <output>',
  'maximum context length (?:is|of) <limit> tokens(?:.*?(?:resulted in|requested)(?: about| a total of)? <all>)?(?:.*?<output> (?:tokens )?(?:in|for) the (?:completion|output))?',
].map((words) => new RegExp(words.replace(/<(\w+)>/g, '(?<$1>\\d[\\d,]*)'), 's'));

/** The rest of a page says nothing new. */
const READ_CHARS = 4_000;

/** The overflow that an error reports; undefined if it is about something else. Pure. */
export function overflowOf({ status = 400, message, code = '', ...fields }: ReportedError): Overflow | undefined {
  const text = message.slice(0, READ_CHARS);
  // A server in between may refuse a request with the status of a failure of its own.
  const isRefusal = status === 400 || status === 422 || status >= 500;
  const isOverflow = CODES.test(code) || status === 413 || (isRefusal && sentencesOf(text).some(saysOverflow));
  return isOverflow ? figuresOf(text, fields) : undefined;
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.;!])\s+|\n/);
}

function saysOverflow(sentence: string): boolean {
  if (OTHER_MEASURE.test(sentence)) return false;
  if (FIXED_WORDS.some((words) => words.test(sentence))) return true;
  const rest = sentence.replace(ANSWER, '');
  return PROMPT.test(rest) && TOO_MUCH.test(rest) && IN_TOKENS.test(rest);
}

function figuresOf(
  text: string,
  { n_ctx, n_prompt_tokens }: Pick<ReportedError, 'n_ctx' | 'n_prompt_tokens'>,
): Overflow {
  if (isCount(n_ctx)) return defined({ limit: n_ctx, size: isCount(n_prompt_tokens) ? n_prompt_tokens : undefined });
  for (const words of FIGURES) {
    const found = words.exec(text)?.groups;
    if (!found) continue;
    const [limit = 0, all, output = 0, size = all && all - output] = ['limit', 'all', 'output', 'size'].map((name) =>
      found[name] === undefined ? undefined : numberOf(found[name]),
    );
    return defined({ limit: limit > output ? limit - output : undefined, size });
  }
  return compared(text);
}

/** Smaller figures are neither a prompt nor its limit. */
const LEAST = 100;

/** Of exactly two figures, the larger is the prompt, since it is too long. */
function compared(text: string): Overflow {
  const found = [...text.matchAll(/(?<![\w.-])\d[\d,]*(?![\w-]|\.[1-9])/g)].map(([digits]) => numberOf(digits));
  const [one, other, ...more] = [...new Set(found)].filter((value) => value >= LEAST);
  if (one === undefined || other === undefined || more.length > 0) return {};
  return { size: Math.max(one, other), limit: Math.min(one, other) };
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
