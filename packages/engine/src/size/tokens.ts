import type { Dialect, Reading } from '../dialect.ts';
import { refusal } from '../errors.ts';
import { checkDepth } from '../json/depth.ts';
import { isRecord } from '../json/record.ts';

/** The load of messages: their number and characters, and the tokens, number and bytes of media. */
export interface Load {
  readonly messages: number;
  readonly chars: number;
  readonly media: number;
  /** Images, wide ones among them, characters of base64, and pages that count as images. */
  readonly images: number;
  readonly pages?: number;
  readonly wide: number;
  readonly bytes: number;
}

/** Characters of a prompt, and its tokens without media and message overhead. */
type Observed = readonly [chars: number, tokens: number];

/** What the counter has learned, as plain data. */
export interface Calibration {
  /** Tokens per character. */
  readonly slope: number;
  /** Tokens outside the messages; undefined before the first observation. */
  readonly fixed?: number;
  readonly model?: string;
  /** The last observation that was believed. */
  readonly last?: Observed;
  /** An observation that contradicts the last one by far: believed once the next agrees with it. */
  readonly doubted?: Observed;
  /** Sums over the changes between observations: squared characters, and characters times tokens. */
  readonly squares: number;
  readonly products: number;
}

/** Real conversations have 2.6 to 3.3 characters per token; 3 until usage is observed. */
export const PRIOR_SLOPE = 1 / 3;
/** The prior weighs as much as one change of this many characters. No measurement supports the exact figure. */
const PRIOR_WEIGHT = 2_000 ** 2;
/** How much earlier changes still weigh after a new one, so that the counter adapts to other text. */
const MEMORY = 0.98;
const SLOPES = [0.12, 1.5] as const;
/** No text has twice as many characters per token as the least slope: such a report leaves out what was cached. */
const LEAST_TOKENS = SLOPES[0] / 2;
/** System prompt and tools of more tokens are believed only when a second report agrees. Known clients send up to 54,000. */
const MOST_FIXED = 64_000;
/** Tokens by which two reports that agree may differ beyond what the text between them explains, and the same as a share. */
const NOISE = 2_000;
const NOISE_SHARE = 0.02;
/** Role and separators, and half a token for rounding. */
const MESSAGE_TOKENS = 4.5;

export const UNCALIBRATED: Calibration = {
  slope: PRIOR_SLOPE,
  squares: PRIOR_WEIGHT,
  products: PRIOR_WEIGHT * PRIOR_SLOPE,
};

export const NO_LOAD: Load = { messages: 0, chars: 0, media: 0, images: 0, pages: 0, wide: 0, bytes: 0 };

/** The sum of the first load and all others; with sign -1, the difference. */
export function addLoads(first: Load, all: readonly ({ readonly load: Load } | undefined)[], sign = 1): Load {
  let { messages, chars, media, images, pages = 0, wide, bytes } = first;
  for (const one of all) {
    if (!one) continue;
    const { load } = one;
    messages += sign * load.messages;
    chars += sign * load.chars;
    media += sign * load.media;
    images += sign * load.images;
    pages += sign * (load.pages ?? 0);
    wide += sign * load.wide;
    bytes += sign * load.bytes;
  }
  return { messages, chars, media, images, pages, wide, bytes };
}

export function loadOf(readings: readonly Reading[]): Load {
  let chars = 0;
  let media = 0;
  let images = 0;
  let pages = 0;
  let wide = 0;
  let bytes = 0;
  for (const reading of readings) {
    chars += reading.chars;
    media += reading.media;
    const sizes = reading.mediaSizes;
    if (!sizes) continue;
    images += sizes.images;
    pages += sizes.pages ?? 0;
    wide += sizes.wide;
    bytes += sizes.bytes;
  }
  return { messages: readings.length, chars, media, images, pages, wide, bytes };
}

/** Tokens of the messages, without reserve. */
export function tokensOf(load: Pick<Load, 'messages' | 'chars' | 'media'>, calibration: Calibration): number {
  return Math.ceil(load.chars * calibration.slope + load.media + load.messages * MESSAGE_TOKENS);
}

export function ratesOf(calibration: Calibration): { character: number; message: number } {
  return { character: calibration.slope, message: MESSAGE_TOKENS };
}

/**
 * Learns from one reported prompt size. The slope is fitted to changes between observations, in which the fixed part cancels
 * out. The fixed part is set from the newest observation, so the next prediction can be wrong only about new messages. Before
 * the slope is known, tokens for which the fixed part would take half of `max` mean dense text instead. A report that the
 * sizes contradict by far is `doubted`; one with too few tokens for any text is ignored.
 */
export function calibrate(
  before: Calibration,
  load: Load,
  promptTokens: number,
  model?: string,
  max = Number.POSITIVE_INFINITY,
): Calibration {
  const reset = model !== undefined && before.model !== undefined && model !== before.model;
  const { doubted, ...from } = reset ? UNCALIBRATED : before;
  const known = model ?? before.model;
  const named = known === undefined ? {} : { model: known };
  if (promptTokens < LEAST_TOKENS * load.chars) return { ...from, ...named };
  const last: Observed = [load.chars, promptTokens - load.media - load.messages * MESSAGE_TOKENS];
  const next = learned(from, from.last, last, max);
  if (!isContradicted(from, next, max)) return { ...next, ...named };
  if (doubted && agrees(doubted, last)) return { ...learned(from, doubted, last, max), ...named };
  return { ...from, ...named, doubted: last };
}

interface Learned extends Calibration {
  readonly fixed: number;
  readonly last: Observed;
}

function learned(from: Calibration, since: Observed | undefined, last: Observed, max: number): Learned {
  const dx = since ? last[0] - since[0] : 0;
  const dy = since ? last[1] - since[1] : 0;
  const sound = dx !== 0 && dy / dx >= SLOPES[0] && dy / dx <= SLOPES[1];
  const squares = sound ? from.squares * MEMORY + dx * dx : from.squares;
  const products = sound ? from.products * MEMORY + dx * dy : from.products;
  const fitted = products / squares;
  const isKnown = squares >= 2 * PRIOR_WEIGHT;
  const dense = Math.min(SLOPES[1], (last[1] - max / 2) / Math.max(1, last[0]));
  const slope = isKnown || last[1] - fitted * last[0] <= max / 2 ? fitted : Math.max(fitted, dense);
  const fixed = Math.max(0, Math.round(last[1] - slope * last[0]));
  return { slope, fixed, last, squares, products };
}

/** The least and the most tokens that text of any kind explains, after an observation. */
function explained([chars, tokens]: Observed, [now]: Observed): readonly [number, number] {
  const [one, other] = [tokens + SLOPES[0] * (now - chars), tokens + SLOPES[1] * (now - chars)];
  return [Math.min(one, other), Math.max(one, other)];
}

/** Tokens that a report may be off without contradicting another. */
function noiseOf([, tokens]: Observed): number {
  return NOISE + NOISE_SHARE * Math.abs(tokens);
}

/**
 * True if neither the text nor a usual system prompt with tools explains so many tokens, if they would leave less than half of
 * the budget for messages, or if half of the least that the text takes is missing.
 */
function isContradicted({ last = [0, 0], fixed = 0 }: Calibration, next: Learned, max: number): boolean {
  const [least, most] = explained(last, next.last);
  const [, tokens] = next.last;
  const isCrowding = next.fixed > max / 2 + 1 && next.fixed - fixed > noiseOf(next.last);
  return tokens - most > MOST_FIXED || isCrowding || 2 * tokens < least - noiseOf(next.last);
}

/** True if the text between two observations explains their difference. */
function agrees(doubted: Observed, now: Observed): boolean {
  const [least, most] = explained(doubted, now);
  return now[1] >= least - noiseOf(now) && now[1] <= most + noiseOf(now);
}

/** Characters of everything that is sent, divided by 4 and rounded up; images and documents by formula. Pure. */
export function estimateTokens<M>(messages: readonly M[], dialect: Dialect<M>): number {
  let chars = 0;
  for (const [i, message] of messages.entries()) {
    if (!isRecord(message)) continue;
    try {
      chars += charsSent(message, dialect);
    } catch (error) {
      throw refusal(error, i);
    }
  }
  return Math.ceil(chars / 4);
}

function charsSent<M>(message: M & Readonly<Record<string, unknown>>, dialect: Dialect<M>): number {
  checkDepth(message);
  const reading = dialect.read(message);
  const plain = reading.media === 0 && !reading.thinking && message.role !== undefined;
  return (plain ? plainChars(message) : reading.chars) + 4 * reading.media;
}

/** Everything counts as it is in the request, except the role and ids. */
function plainChars(message: Readonly<Record<string, unknown>>): number {
  let chars = 0;
  for (const key in message) if (!/^(?:role|type|id|status|tool_call_id)$/.test(key)) chars += lengthOf(message[key]);
  return chars;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value === undefined || value === null ? 0 : (JSON.stringify(value)?.length ?? 0);
}
