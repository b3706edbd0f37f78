import type { ProviderEvent } from '@holdfast/agent';
import { aboutOf } from '@holdfast/agent/internal';
import { clock } from '../../view/amounts.ts';
import { clean } from '../../view/clean.ts';
import { aboutIn, logRows } from '../../view/run/log-lines.ts';
import { type Style, spinnerAt } from '../../view/style.ts';
import { cut, wrapLine } from '../../view/text.ts';

/** An answer while it streams: final rows, and live rows below them. Stateful; prints nothing. */
export interface AnswerLog {
  onEvent(event: ProviderEvent): void;
  /** The rows completed since the last call. */
  rows(): string[];
  /** Rows that may still change: the end of the text, and the current activity. */
  live(columns: number, tick: number): string[];
  /** The remaining rows. */
  end(): string[];
}

interface OpenCall {
  readonly name: string;
  readonly about: string;
  readonly since: number;
}

/** `columns` is read whenever rows are made. */
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
        // Skip blank lines before the first word.
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
        const line = { ...event, type: 'call', about, elapsedMs: now() - since } as const;
        ready.push(...logRows(line, columns(), style));
        return;
      }
      case 'fold-end':
        flush();
        if (event.receipt.fold > 0) ready.push(...logRows({ type: 'fold', receipt: event.receipt }, columns(), style));
        return;
      case 'request-retry':
        flush();
        retryAt = now() + event.waitMs;
        ready.push(...logRows({ type: 'retry', category: event.category, waitMs: event.waitMs }, columns(), style));
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
      const rest = hasText ? flow.rest(width) : '';
      return [
        ...(rest === '' ? [] : [rest]),
        `${spinnerAt(tick, style)} ${style.colours.dim(cut(`${doing()} · Esc interrupts`, Math.max(1, width - 2)))}`,
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

/** Streamed text as final rows and a rest that may still change. */
export interface Flow {
  add(text: string): void;
  /** The rows completed since the last call. */
  rows(columns: number): string[];
  /** The incomplete last row. */
  rest(columns: number): string;
  /** The remaining rows, once the text is complete. */
  end(columns: number): string[];
}

/** Final rows never change, because a growing word affects only the last row. Stateful. */
export function createFlow(): Flow {
  let rest = '';
  const take = (columns: number): string[] => {
    const lines = rest.split('\n');
    const open = lines.pop() ?? '';
    const rows = lines.flatMap((line) => wrapLine(line, columns));
    // Of a long open line, all rows but the last are final.
    const wrapped = wrapLine(open, columns);
    if (wrapped.length < 2) {
      rest = open;
      return rows;
    }
    rest = wrapped.pop() ?? '';
    // Wrapping trimmed the blank after the last word.
    if (/ $/.test(open)) rest += ' ';
    return [...rows, ...wrapped];
  };
  return {
    add(text) {
      rest += text.replace(/\r\n?/g, '\n');
    },
    rows: take,
    rest: (columns) => wrapLine(rest.split('\n').at(-1) ?? '', columns).at(-1) ?? '',
    end(columns) {
      const rows = [...take(columns), ...(rest === '' ? [] : wrapLine(rest, columns))];
      rest = '';
      return rows;
    },
  };
}
