import type { Dialect, Receipt, Size, WindowState } from 'holdfast';
import type { ContextUse } from '../providers/provider.ts';
import type { ResolvedOptions } from './api-options.ts';
import { toolsText } from './window-config.ts';

/** What to measure. */
export interface Measured<M> {
  readonly dialect: Dialect<M>;
  readonly state: WindowState<M>;
  /** Messages that are in no view yet. */
  readonly pending: readonly M[];
  /** Preview of a fold, which has the sizes. */
  readonly receipt: Receipt;
  readonly options: ResolvedOptions;
  readonly max: Size;
  readonly limit: number;
  estimate(messages: readonly M[]): number;
}

const KINDS = { system: 'user', user: 'user', assistant: 'assistant', tool: 'tool results' } as const;

/** What fills the context window. Each part gets its share by characters, so that they add up to the total. Pure. */
export function contextUse<M>(measured: Measured<M>): ContextUse {
  const { receipt, max, limit } = measured;
  const total = receipt.before.tokens;
  const fixed = Math.min(receipt.reserve, total);
  const inside = messagesInside(measured);
  const weights = { note: 0, pins: 0, kept: 0, newest: 0 };
  const spoken = { user: 0, assistant: 0, 'tool results': 0 };
  for (const { part, kind, weight } of inside) {
    weights[part] += weight;
    if (part !== 'note') spoken[kind] += weight;
  }
  const { system = '', tools = [] } = measured.options;
  const beside = shared({ system: system.length, tools: toolsText(tools).length }, fixed);
  const parts = { ...beside, ...shared(weights, total - fixed) };
  const said = shared(spoken, parts.pins + parts.kept + parts.newest);
  const bounds = { max: max.tokens, limit, maxMessages: max.messages };
  const { before, estimated } = receipt;
  return { total, estimated, ...bounds, messages: before.messages, folds: measured.state.folds, parts, said };
}

interface Inside {
  readonly part: 'note' | 'pins' | 'kept' | 'newest';
  readonly kind: 'user' | 'assistant' | 'tool results';
  readonly weight: number;
}

function messagesInside<M>({ dialect, state, pending, estimate }: Measured<M>): Inside[] {
  const { head = 0, note } = state.log.at(-1) ?? {};
  const isPin = (from: number, count: number) => state.pins.some((pin) => from <= pin && pin < from + count);
  const found: Inside[] = [];
  const add = (part: Inside['part'], message: M) => {
    const { role } = dialect.read(message);
    found.push({ part, kind: KINDS[role], weight: estimate([message]) });
  };
  let at = 0;
  for (const [i, { from, count }] of state.turns.entries()) {
    if (note !== undefined && i === head) add('note', state.view[at++] as M);
    for (const message of state.view.slice(at, at + count)) add(isPin(from, count) ? 'pins' : 'kept', message);
    at += count;
  }
  for (const message of pending) add('kept', message);
  const last = found.findLastIndex(({ part, kind }) => part !== 'note' && kind === 'user');
  return found.map((one, i) => (i >= last && one.part === 'kept' ? { ...one, part: 'newest' } : one));
}

/** Splits a sum by weights into whole tokens; the largest gets the remainder. */
function shared<K extends string>(weights: Readonly<Record<K, number>>, sum: number): Record<K, number> {
  const names = Object.keys(weights) as K[];
  const all = names.reduce((total, name) => total + weights[name], 0);
  const parts = Object.fromEntries(
    names.map((name) => [name, all === 0 ? 0 : Math.floor((sum * weights[name]) / all)]),
  ) as Record<K, number>;
  const largest = names.reduce((one, other) => (weights[other] > weights[one] ? other : one));
  parts[largest] += sum - names.reduce((total, name) => total + parts[name], 0);
  return parts;
}
