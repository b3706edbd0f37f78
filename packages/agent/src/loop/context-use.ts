import type { Dialect, Receipt, WindowState } from 'holdfast';
import type { ContextUse } from '../providers/provider.ts';
import type { ResolvedOptions } from './api-options.ts';

/** What to measure. */
export interface Measured<M> {
  readonly dialect: Dialect<M>;
  readonly state: WindowState<M>;
  /** Messages that are in no view yet. */
  readonly pending: readonly M[];
  /** Preview of a fold, which has the sizes. */
  readonly receipt: Receipt;
  readonly options: ResolvedOptions;
  readonly max: number;
  readonly limit: number;
  readonly maxMessages: number;
  estimate(messages: readonly M[]): number;
}

type Part = keyof ContextUse['parts'];
const KINDS = { system: 'system', user: 'user', assistant: 'assistant', tool: 'tool results' } as const;

/** What fills the context window. Each part gets its share by characters, so that they add up to the total. Pure. */
export function contextUse<M>(measured: Measured<M>): ContextUse {
  const { receipt, state, max, limit, maxMessages } = measured;
  const total = receipt.before.tokens;
  const fixed = Math.min(receipt.reserve, total);
  const parts = { ...shared(weightsBeside(measured), fixed), ...shared(weightsInside(measured), total - fixed) };
  return {
    total,
    estimated: receipt.estimated,
    max,
    limit,
    messages: receipt.before.messages,
    maxMessages,
    folds: state.folds,
    parts,
  };
}

function weightsBeside<M>({ options }: Measured<M>) {
  const { system = '', tools = [] } = options;
  const schemas = tools.map(({ name, description, input_schema }) => [name, description, input_schema]);
  return { system: system.length, tools: tools.length === 0 ? 0 : JSON.stringify(schemas).length };
}

function weightsInside<M>({ dialect, state, pending, estimate }: Measured<M>) {
  const weights = { pins: 0, user: 0, assistant: 0, 'tool results': 0, note: 0 };
  const add = (kind: Part, message: M) => {
    if (kind in weights) weights[kind as keyof typeof weights] += estimate([message]);
  };
  const { head = 0, note } = state.log.at(-1) ?? {};
  const isPin = (from: number, count: number) => state.pins.some((pin) => from <= pin && pin < from + count);
  let at = 0;
  for (const [i, { from, count }] of state.turns.entries()) {
    if (note !== undefined && i === head) add('note', state.view[at++] as M);
    for (const message of state.view.slice(at, at + count))
      add(isPin(from, count) ? 'pins' : KINDS[dialect.read(message).role], message);
    at += count;
  }
  for (const message of pending) add(KINDS[dialect.read(message).role], message);
  return weights;
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
