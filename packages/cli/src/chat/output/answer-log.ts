import type { ProviderEvent } from '@holdfast/agent';
import type { ToolRequest } from '@holdfast/agent/chat';
import { aboutOf } from '@holdfast/agent/run';
import type { CallResult } from '@holdfast/sessions';
import { clock } from '../../view/amounts.ts';
import { clean } from '../../view/clean.ts';
import { aboutIn, logRows } from '../../view/run/log-lines.ts';
import { type Style, spinnerAt } from '../../view/style.ts';
import { columnsOf, cut } from '../../view/text.ts';
import { askedRows, type EndedCall, endedRows, fullRows, outputRows } from './call-rows.ts';
import type { Details } from './details.ts';
import { type Diff, diffOf } from './diff-rows.ts';
import type { Flow } from './flow.ts';

/** An answer while it streams: final rows, and live rows below them. Stateful; prints nothing. */
export type AnswerLog = ReturnType<typeof createAnswerLog>;

export interface AnswerLogOptions {
  /** Read whenever rows are made. */
  readonly columns: () => number;
  /** Of the terminal. Default: any number. */
  readonly height?: () => number;
  readonly style: Style;
  readonly now: () => number;
  /** Makes rows of text; a new one after each call. */
  readonly flow: () => Flow;
  /** Gets everything that is shown shortened. */
  readonly details: Details;
  /** How to see it: 'Ctrl-O shows all'; '' if it cannot be seen. */
  readonly key: string;
  /** An output that was too long for the model. Default: none. */
  readonly stored?: (handle: string) => string | undefined;
}

interface OpenCall {
  readonly name: string;
  readonly about: string;
  since: number;
  isAsked?: boolean;
  /** The user did not let it run, and knows why. */
  isRefused?: boolean;
  diff?: Diff;
  result?: string;
  /** The newest line of its output. */
  line?: string;
}

/** The end of a block that is not final, such as a table. */
const LIVE_ROWS = 12;

export function createAnswerLog(options: AnswerLogOptions) {
  const { columns, height = () => Number.POSITIVE_INFINITY, style, now, flow: newFlow, details, key } = options;
  const { stored = () => undefined } = options;
  let flow = newFlow();
  const calls = new Map<string, OpenCall>();
  const began = now();
  let ready: string[] = [];
  let hasText = false;
  let retryAt: number | undefined;
  /** The call that waits for the user. */
  let asked: string | undefined;

  function flush(): void {
    ready.push(...flow.end(columns()));
    flow = newFlow();
    hasText = false;
  }

  function show(call: ToolRequest): void {
    flush();
    const open = calls.get(call.id);
    const diff = call.change && diffOf(call.change);
    if (open && diff) open.diff = diff;
    const { rows, isShort } = askedRows(call, diff, columns(), height(), style, key);
    ready.push(...rows);
    if (isShort) details.add(titleOf(call.name, open?.about ?? ''), (width) => fullRows(call, diff, width, style));
  }

  function ended(event: Extract<ProviderEvent, { type: 'call-end' }>): void {
    const open = calls.get(event.id);
    calls.delete(event.id);
    const { about = '', since = now(), diff } = open ?? {};
    const result = open?.isRefused ? undefined : open?.result;
    const call: EndedCall = {
      ...event,
      about,
      elapsedMs: now() - since,
      ...(result === undefined ? {} : { result }),
      ...(diff ? { diff } : {}),
    };
    ready.push(...endedRows(call, columns(), style, key));
    if (result !== undefined) details.add(titleOf(call.name, about), (width) => outputRows(call, width, stored));
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
      case 'call-output': {
        const open = calls.get(event.id);
        if (open) open.line = event.line;
        return;
      }
      case 'call-end':
        ended(event);
        return;
      case 'fold-end':
        flush();
        if (event.receipt.fold > 0) ready.push(...logRows({ type: 'fold', receipt: event.receipt }, columns(), style));
        return;
      case 'reminder-add':
        flush();
        ready.push(...logRows(event, columns(), style));
        return;
      case 'request-retry':
        flush();
        retryAt = now() + event.waitMs;
        ready.push(...logRows({ ...event, type: 'retry' }, columns(), style));
        return;
      case 'view-ready':
        retryAt = undefined;
        return;
      case 'usage-report':
    }
  }

  /** The current activity; what a call is about gets the room that is left. */
  function doing(width: number): string {
    const call = [...calls.values()].at(-1);
    const end = ` ${style.marks.dot} Esc interrupts`;
    if (asked !== undefined) return cut(`waiting for your answer${end}`, width);
    if (call) {
      const more = calls.size > 1 ? ` +${calls.size - 1} more` : '';
      const rest = `${more} ${clock(now() - call.since)}${end}`;
      const name = cut(clean(call.name), width);
      const about = aboutIn(call.about, Math.max(0, width - columnsOf(name) - columnsOf(rest) - 1));
      return cut(`${name}${about === '' ? '' : ` ${about}`}${rest}`, width);
    }
    if (retryAt !== undefined) return cut(`retrying in ${clock(Math.max(0, retryAt - now()) + 999)}${end}`, width);
    return cut(`${hasText ? 'answering' : 'waiting for the model'} ${clock(now() - began)}${end}`, width);
  }

  function outputLine(width: number): string[] {
    const line = [...calls.values()].at(-1)?.line;
    return line === undefined ? [] : [style.colours.dim(cut(`    ${clean(line)}`, width))];
  }

  return {
    onEvent,
    onResult({ id, text }: CallResult): void {
      const open = calls.get(id);
      if (open) open.result = text;
    },
    /** The user is asked about this call, which is shown in full. */
    ask(call: ToolRequest): void {
      const open = calls.get(call.id);
      if (open) open.isAsked = true;
      asked = call.id;
      show(call);
    },
    /** What the user said, in a word, and whether the call may run. */
    answered(told: string, isAllowed: boolean): void {
      const open = asked === undefined ? undefined : calls.get(asked);
      if (open) {
        // Also for a refused call, which never runs.
        open.since = now();
        open.isRefused = !isAllowed;
      }
      asked = undefined;
      ready.push(style.colours.dim(cut(`  ${clean(told)}`, columns())));
    },
    /** The call begins to run; a change that the user was not asked about is shown now. */
    onRun(call: ToolRequest): void {
      const open = calls.get(call.id);
      if (!open) return;
      open.since = now();
      if (call.change && !open.isAsked) show(call);
    },
    /** The rows completed since the last call. */
    rows(): string[] {
      const rows = [...ready, ...flow.rows(columns())];
      ready = [];
      return rows;
    },
    /** Rows that may still change: the end of the text, and the current activity. */
    live(width: number, tick: number): string[] {
      return [
        ...(hasText ? flow.rest(width).slice(-LIVE_ROWS) : []),
        ...outputLine(width),
        `${spinnerAt(tick, style)} ${style.colours.dim(doing(Math.max(1, width - 2)))}`,
      ];
    },
    /** The remaining rows. */
    end(): string[] {
      flush();
      const rows = ready;
      ready = [];
      return rows;
    },
  };
}

function titleOf(name: string, about: string): string {
  return clean(`${name} ${about}`).trim();
}
