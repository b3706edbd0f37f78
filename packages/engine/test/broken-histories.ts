import fc from 'fast-check';
import { type Block, type Format, type Scenario, type Step, say, scenarios, type Wire } from './histories.ts';

/** One thing that goes wrong with a history; `a` and `b` say where, whatever its length. */
interface Break {
  readonly kind: (typeof KINDS)[number];
  readonly a: number;
  readonly b: number;
}

const KINDS = [
  'drop',
  'double',
  'move',
  'swap',
  'cut',
  'say',
  'blank',
  'drop-block',
  'double-block',
  'move-block',
  'swap-blocks',
] as const;

/** A valid conversation, and the same with a few things gone wrong. */
export function brokenHistories(format: Format): fc.Arbitrary<{ scenario: Scenario; broken: readonly Wire[] }> {
  const place = fc.nat(10_000);
  const breaks = fc.array(fc.record({ kind: fc.constantFrom(...KINDS), a: place, b: place }), {
    minLength: 1,
    maxLength: 6,
  });
  return fc.tuple(scenarios(format), breaks).map(([given, list]) => {
    const scenario = format === 'anthropic' ? { ...given, steps: given.steps.map(withoutSystem) } : given;
    const history = scenario.steps.flatMap(({ messages }) => messages);
    return {
      scenario,
      broken: Object.freeze(list.reduce<readonly Wire[]>((broken, one) => breakHistory(format, broken, one), history)),
    };
  });
}

/** One that comes to stand first nobody can repair: it belongs into the request's own parameter. */
function withoutSystem(step: Step): Step {
  return { ...step, messages: step.messages.filter(({ role }) => role !== 'system') };
}

function breakHistory(format: Format, history: readonly Wire[], { kind, a, b }: Break): readonly Wire[] {
  const list = [...history];
  if (list.length === 0) return list;
  const from = a % list.length;
  const to = b % list.length;
  const message = list[from] as Wire;
  switch (kind) {
    case 'drop':
      return list.toSpliced(from, 1);
    case 'double':
      return list.toSpliced(to, 0, message);
    case 'move':
      return list.toSpliced(from, 1).toSpliced(to, 0, message);
    case 'swap':
      return list.with(from, list[to] as Wire).with(to, message);
    case 'cut':
      return from % 2 === 0 ? list.slice(0, from + 1) : list.slice(from);
    case 'say':
      return list.toSpliced(from, 0, say(format, b % 2 === 0 ? 'user' : 'assistant', `said in between ${a}`));
    case 'blank':
      return list.with(from, withBlank(message));
    default:
      return breakBlocks(list, kind, [from, a], [to, b]);
  }
}

function withBlank(message: Wire): Wire {
  if (Array.isArray(message.parts)) return { ...message, parts: [{ text: '' }, ...message.parts] };
  if (Array.isArray(message.content)) return { ...message, content: [{ type: 'text', text: '' }, ...message.content] };
  return typeof message.content === 'string' ? { ...message, content: '' } : message;
}

/** Blocks of a message, or its calls where those stand beside the content. */
function blocksOf({ content, tool_calls, parts }: Wire): readonly Block[] {
  const list = tool_calls ?? parts ?? content;
  return Array.isArray(list) ? list : [];
}

/** The message with these blocks; undefined if it would be left with nothing at all. */
function withBlocks(message: Wire, blocks: readonly Block[]): Wire | undefined {
  const { tool_calls, ...rest } = message;
  const place = message.parts === undefined ? 'content' : 'parts';
  if (tool_calls === undefined) return blocks.length === 0 ? undefined : { ...message, [place]: blocks };
  if (blocks.length > 0) return { ...message, tool_calls: blocks };
  return rest.content === null ? undefined : rest;
}

function breakBlocks(
  list: readonly Wire[],
  kind: Break['kind'],
  [from, a]: readonly [number, number],
  [to, b]: readonly [number, number],
): readonly Wire[] {
  const source = list[from] as Wire;
  const target = list[to] as Wire;
  const blocks = blocksOf(source);
  const block = blocks[a % Math.max(1, blocks.length)];
  const at = blocks.indexOf(block as Block);
  if (block === undefined) return list;
  const set = (index: number, message: Wire | undefined, given = list) =>
    message === undefined ? given.toSpliced(index, 1) : given.with(index, message);
  if (kind === 'drop-block') return set(from, withBlocks(source, blocks.toSpliced(at, 1)));
  if (kind === 'double-block') return set(from, withBlocks(source, blocks.toSpliced(b % blocks.length, 0, block)));
  if (kind === 'swap-blocks') {
    const other = b % blocks.length;
    return set(from, withBlocks(source, blocks.with(at, blocks[other] as Block).with(other, block)));
  }
  const others = blocksOf(target);
  if (from === to || others.length === 0 || (source.tool_calls === undefined) !== (target.tool_calls === undefined))
    return list;
  const moved = set(to, withBlocks(target, others.toSpliced(b % others.length, 0, block)));
  return set(from, withBlocks(source, blocks.toSpliced(at, 1)), moved);
}

const NAMES =
  /^(?:type|role|id|tool_use_id|tool_call_id|call_id|signature|media_type|cache_control|toolCallId|toolName|providerOptions|thoughtSignature|mimeType|name)$/;

/** Every text, argument, result and image in these messages. */
function leaves(value: unknown, found: string[] = []): string[] {
  if (typeof value === 'string') {
    if (value.trim() !== '') found.push(value.trimEnd());
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) if (!NAMES.test(key)) leaves(inner, found);
  }
  return found;
}

/** What of one list of messages is not as often in another, as it was or inside of JSON. */
export function lost(before: readonly Wire[], after: readonly Wire[]): string[] {
  const left = leaves(before);
  const kept = leaves(after).join('\n\u0000\n');
  const needed = new Map<string, number>();
  for (const text of left) needed.set(text, (needed.get(text) ?? 0) + 1);
  return [...needed.keys()].filter((text) => {
    const quoted = JSON.stringify(text).slice(1, -1);
    const count = needed.get(text) ?? 0;
    const found = timesIn(kept, text, count);
    return found < count && (quoted === text || found + timesIn(kept, quoted, count - found) < count);
  });
}

/** How often a text occurs in another, counted only as far as needed. */
function timesIn(whole: string, text: string, enough: number): number {
  let times = 0;
  for (let at = whole.indexOf(text); at >= 0 && times < enough; at = whole.indexOf(text, at + text.length)) times++;
  return times;
}
