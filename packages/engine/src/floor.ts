import type { Size } from './budget.ts';
import { HoldfastError } from './errors.ts';
import type { FoldInput, Seat } from './fold.ts';
import { tokensOf } from './tokens.ts';

/** A part of what cannot be folded away. */
export interface FloorPart {
  readonly part: 'reserve' | 'system' | 'pins' | 'first user message' | 'newest user message' | 'newest turn' | 'note';
  readonly tokens: number;
  readonly messages: number;
}

/** The error for a view whose smallest form is over budget: names each part and its size. */
export function overBudget<M>(input: FoldInput<M>, seats: readonly Seat<M>[], size: Size): HoldfastError {
  const { max } = input.budget;
  const parts = floorParts(input, seats, size);
  const list = parts.map(({ part, tokens, messages }) => `${part} ${tokens} (${messages} messages)`).join(', ');
  const bounds = (['tokens', 'messages'] as const)
    .filter((unit) => size[unit] > max[unit])
    .map((unit) => `${size[unit]} ${unit} > ${max[unit]}`)
    .join(' and ');
  return new HoldfastError(
    'OVER_BUDGET',
    `what cannot be folded away is over budget, ${bounds}: ${list}. Raise max_tokens or max_messages, shorten these parts, or split the task`,
    { floor: size, max, parts },
  );
}

function floorParts<M>(input: FoldInput<M>, seats: readonly Seat<M>[], size: Size): FloorPart[] {
  const { reserve } = input.budget;
  const parts = new Map<FloorPart['part'], FloorPart>([['reserve', { part: 'reserve', tokens: reserve, messages: 0 }]]);
  let tokens = size.tokens - reserve;
  let { messages } = size;
  const first = seats.find((seat) => seat.now && seat.before.asks);
  for (const seat of seats) {
    if (!seat.now) continue;
    const part = partOf(input, seat, seat === first);
    const own = tokensOf(seat.now.load, input.calibration);
    const count = seat.now.messages.length;
    const sum = parts.get(part);
    parts.set(part, { part, tokens: own + (sum?.tokens ?? 0), messages: count + (sum?.messages ?? 0) });
    tokens -= own;
    messages -= count;
  }
  return [...parts.values(), ...(messages > 0 ? [{ part: 'note' as const, tokens, messages }] : [])];
}

function partOf<M>({ pins }: FoldInput<M>, { before, newest }: Seat<M>, first: boolean): FloorPart['part'] {
  if (before.messages.some((_, i) => pins.has(before.from + i))) return 'pins';
  if (newest && !before.asks) return 'newest turn';
  if (first && !newest) return 'first user message';
  return before.role === 'system' ? 'system' : 'newest user message';
}
