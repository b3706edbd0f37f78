import type { ProviderEvent } from '@holdfast/agent';
import { aboutOf } from '@holdfast/agent/internal';
import { clock } from '../../view/amounts.ts';
import { aboutIn, logRows } from '../../view/run/log-lines.ts';
import type { Style } from '../../view/style.ts';
import { clean, cut } from '../../view/text.ts';
import { createFlow } from '../../view/wrap-text.ts';

/** An answer as it comes: rows that stay, and what is going on below them. Stateful; shows nothing. */
export interface AnswerLog {
  onEvent(event: ProviderEvent): void;
  /** Rows that are complete, once each. */
  rows(): string[];
  /** What may still change: the end of the text, and what is being waited for. */
  live(columns: number, tick: number): string[];
  /** The rows that are left. */
  end(): string[];
}

interface OpenCall {
  readonly name: string;
  readonly about: string;
  readonly since: number;
}

/** The log of one answer. `columns` is asked whenever rows are made. */
export function createAnswerLog(columns: () => number, style: Style, now: () => number): AnswerLog {
  const flow = createFlow();
  const calls = new Map<string, OpenCall>();
  const began = now();
  let ready: string[] = [];
  let hasText = false;
  let retryAt: number | undefined;

  function flush(): void {
    ready.push(...flow.end(columns()));
    hasText = false;
  }

  function onEvent(event: ProviderEvent): void {
    switch (event.type) {
      case 'text-delta':
        retryAt = undefined;
        // Blank lines before the first word say nothing.
        if (!hasText && event.text.trim() === '') return;
        flow.add(hasText ? event.text : event.text.replace(/^\n+/, ''));
        hasText = true;
        return;
      case 'call-start':
        flush();
        calls.set(event.id, { name: event.name, about: aboutOf(event.input), since: now() });
        return;
      case 'call-end': {
        const call = calls.get(event.id);
        calls.delete(event.id);
        const { about = '', since = now() } = call ?? {};
        const line = { ...event, type: 'call', about, elapsed_ms: now() - since } as const;
        ready.push(...logRows(line, columns(), style));
        return;
      }
      case 'fold-end':
        flush();
        if (event.receipt.fold > 0) ready.push(...logRows({ type: 'fold', receipt: event.receipt }, columns(), style));
        return;
      case 'request-retry':
        flush();
        retryAt = now() + event.wait_ms;
        ready.push(...logRows({ type: 'retry', category: event.category, wait_ms: event.wait_ms }, columns(), style));
        return;
      case 'view-ready':
        retryAt = undefined;
        return;
      case 'usage-report':
    }
  }

  function doing(): string {
    const call = [...calls.values()].at(-1);
    const more = calls.size > 1 ? ` +${calls.size - 1} more` : '';
    if (call) return `${clean(call.name)} ${aboutIn(call.about, 60)}${more} ${clock(now() - call.since)}`;
    if (retryAt !== undefined) return `retrying in ${clock(Math.max(0, retryAt - now()) + 999)}`;
    return `${hasText ? 'answering' : 'waiting for the model'} ${clock(now() - began)}`;
  }

  return {
    onEvent,
    rows() {
      const rows = [...ready, ...flow.rows(columns())];
      ready = [];
      return rows;
    },
    live(width, tick) {
      const { colours, marks } = style;
      const rest = hasText ? flow.rest(width) : '';
      const spinner = colours.cyan(marks.spinner[tick % marks.spinner.length] ?? '');
      return [
        ...(rest === '' ? [] : [rest]),
        `${spinner} ${colours.dim(cut(`${doing()} · Esc interrupts`, Math.max(1, width - 2)))}`,
      ];
    },
    end() {
      flush();
      const rows = ready;
      ready = [];
      return rows;
    },
  };
}
