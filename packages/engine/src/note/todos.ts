import { callFacts } from '../calls/call-facts.ts';
import type { Call } from '../dialect.ts';
import { isRecord } from '../json/record.ts';

/** Part of the names of tools that write a plan. */
export const PLANS = /todo|plan/i;

/** The open items of the to-do list or plan that a call writes; undefined if it writes none. Pure. */
export function openTodos(call: Call): string[] | undefined {
  const { input } = callFacts(call);
  const list = input.todos ?? input.plan;
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((item) => {
    if (!isRecord(item) || item.status === 'completed' || item.status === 'done') return [];
    const text = item.content ?? item.step ?? item.title ?? item.text;
    return typeof text === 'string' ? [text] : [];
  });
}
