import { HoldfastError } from '../errors.ts';
import type { Size } from '../size/budget.ts';
import { overLimits } from '../size/media-limits.ts';
import { tokensOf } from '../size/tokens.ts';
import { type FoldInput, type FoldTurn, foldTurns, loadNow } from './fold-turn.ts';

/** A part of what cannot be folded away. */
export interface FloorPart {
  readonly part:
    | 'reserve'
    | 'system'
    | 'pin'
    | 'instruction'
    | 'first user message'
    | 'first messages'
    | 'newest user message'
    | 'newest turn'
    | 'turn that no fold may touch'
    | 'turn beside one that stays'
    | 'note';
  readonly tokens: number;
  readonly messages: number;
}

/** Why a view of this size cannot shrink much: what must stay, part by part. Pure. */
export function whyItStays<M>(input: FoldInput<M>, size: Size): string {
  const { budget, calibration } = input;
  const turns = foldTurns(input).filter(({ floor, head }) => floor || head);
  const first = turns.find((turn) => turn.before.asks);
  const parts = new Map<string, number>([['system prompt and tools', budget.reserve]]);
  for (const turn of turns) {
    const part = partOf(turn, turn === first);
    parts.set(part, (parts.get(part) ?? 0) + tokensOf(turn.before.load, calibration));
  }
  // Each part is rounded up, so that their sum may be too large.
  const sum = [...parts.values()].reduce((total, tokens) => total + tokens, 0);
  const list = [...parts].filter(([, tokens]) => tokens > 0).map(([part, tokens]) => `${part} ${tokens}`);
  return `${Math.min(size.tokens, sum)} of ${size.tokens} tokens must stay (${list.join(', ')})`;
}

/** The error for a view whose smallest form is over budget, with the size of each part. */
export function overBudget<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[], size: Size): HoldfastError {
  const { max } = input.budget;
  const parts = floorParts(input, turns, size);
  const list = parts.map((part) => `${part.part} ${part.tokens}${remark(part)}`).join(', ');
  const bounds = (['tokens', 'messages'] as const)
    .filter((unit) => size[unit] > max[unit])
    .map((unit) => `${size[unit]} ${unit} > ${max[unit]}`)
    .concat(overLimits(loadNow(turns), input.dialect.limits) || [])
    .join(' and ');
  return new HoldfastError(
    'OVER_BUDGET',
    `the parts that cannot be folded exceed the budget (${bounds}): ${list}. Raise the limit, shorten these parts, unpin, or split the task`,
    { floor: size, max, parts },
  );
}

function remark({ part, messages }: FloorPart): string {
  if (part === 'reserve') return ' (system prompt, tools)';
  return messages > 1 ? ` (${messages} messages)` : '';
}

/** Each part is rounded up; the last one takes the difference, so that they add up. */
function floorParts<M>({ budget, calibration }: FoldInput<M>, turns: readonly FoldTurn<M>[], size: Size): FloorPart[] {
  const parts: FloorPart[] = [{ part: 'reserve', tokens: budget.reserve, messages: 0 }];
  const first = turns.find((turn) => turn.now && turn.before.asks);
  let { tokens, messages } = size;
  tokens -= budget.reserve;
  for (const turn of turns) {
    if (!turn.now) continue;
    const own = {
      part: partOf(turn, turn === first),
      tokens: tokensOf(turn.now.load, calibration),
      messages: turn.now.messages.length,
    };
    messages -= own.messages;
    const isLast = messages === 0;
    parts.push(isLast ? { ...own, tokens } : own);
    tokens -= own.tokens;
  }
  return messages > 0 ? [...parts, { part: 'note', tokens, messages }] : parts;
}

function partOf<M>(
  { before, newest, pinned, floor, yields, instructs }: FoldTurn<M>,
  first: boolean,
): FloorPart['part'] {
  if (pinned) return 'pin';
  if (!floor) return 'first messages';
  if (newest && !before.asks) return 'newest turn';
  if (first && !newest) return 'first user message';
  if (instructs.length > 0 && (yields || before.role === 'system')) return 'instruction';
  if (yields && !newest) return 'turn beside one that stays';
  if (before.role === 'system') return 'system';
  return before.asks ? 'newest user message' : 'turn that no fold may touch';
}
