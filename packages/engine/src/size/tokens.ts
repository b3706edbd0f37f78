import { checkDepth, isRecord } from '../content.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { refusal } from '../errors.ts';

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

/** What the counter has learned, as plain data. */
export interface Calibration {
  /** Tokens per character. */
  readonly slope: number;
  /** Tokens outside the messages; undefined before the first observation. */
  readonly fixed?: number;
  readonly model?: string;
  /** The last observation: characters, and tokens without media and message overhead. */
  readonly last?: readonly [number, number];
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
 * the slope is known, a prompt beyond `max` means dense text rather than a fixed part that leaves no room.
 */
export function calibrate(
  before: Calibration,
  load: Load,
  promptTokens: number,
  model?: string,
  max = Number.POSITIVE_INFINITY,
): Calibration {
  const reset = model !== undefined && before.model !== undefined && model !== before.model;
  const from = reset ? UNCALIBRATED : before;
  const last = [load.chars, promptTokens - load.media - load.messages * MESSAGE_TOKENS] as const;
  const dx = from.last ? last[0] - from.last[0] : 0;
  const dy = from.last ? last[1] - from.last[1] : 0;
  const sound = dx !== 0 && dy / dx >= SLOPES[0] && dy / dx <= SLOPES[1];
  const squares = sound ? from.squares * MEMORY + dx * dx : from.squares;
  const products = sound ? from.products * MEMORY + dx * dy : from.products;
  const fitted = products / squares;
  const isKnown = squares >= 2 * PRIOR_WEIGHT;
  const dense = Math.min(SLOPES[1], (last[1] - max / 2) / Math.max(1, last[0]));
  const slope = isKnown || last[1] - fitted * last[0] < max ? fitted : Math.max(fitted, dense);
  const known = model ?? before.model;
  const fixed = Math.max(0, Math.round(last[1] - slope * last[0]));
  return { slope, fixed, last, squares, products, ...(known === undefined ? {} : { model: known }) };
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
