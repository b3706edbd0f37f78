import type { CommandEnd, ExecutorEvent, ExecutorState } from '@holdfast/agent';
import type { ValidationResult } from '@holdfast/agent/run';
import type { Receipt } from 'holdfast';
import type { Retry } from '../phrases.ts';

/** A line of the log, for every kind of view. Texts are not cleaned yet. */
export type Line =
  | { readonly type: 'iteration'; readonly iteration: number; readonly max: number }
  | ({
      readonly type: 'call';
      readonly name: string;
      readonly about: string;
      readonly failed: boolean;
      readonly elapsedMs: number;
      /** The last line of a call that failed. */
      readonly output?: string;
    } & Partial<CommandEnd>)
  | { readonly type: 'fold'; readonly receipt: Receipt }
  | Extract<ExecutorEvent, { type: 'reminder-add' }>
  | { readonly type: 'validation'; readonly result: ValidationResult }
  | ({ readonly type: 'retry' } & Retry)
  | (Omit<Extract<ExecutorEvent, { type: 'log-line' }>, 'type'> & { readonly type: 'log' })
  | { readonly type: 'said'; readonly text: string };

/** A running tool call. */
export interface OpenCall {
  readonly name: string;
  readonly about: string;
  readonly since: number;
  /** The newest line it printed. */
  readonly output?: string;
}

/** The current state of a run. */
export interface Moment {
  /** Absent until the run reports it. */
  readonly state?: ExecutorState;
  /** When `state` arrived. */
  readonly since: number;
  /** Running calls in order of their start, and a running check. */
  readonly calls: readonly OpenCall[];
  /** The end of the text that the model is writing. */
  readonly saying: string;
  /** When a failed request is retried. */
  readonly retryAt?: number;
}

// Enough for two rows of any terminal.
const SAYING_CHARS = 2_000;

/** Follows a run by its events. Stateful; prints nothing. */
export function createWatch(now: () => number) {
  const calls = new Map<string, OpenCall>();
  let state: ExecutorState | undefined;
  let since = now();
  let saying = '';
  let retryAt: number | undefined;
  let checking: OpenCall | undefined;

  /** Handles one event; returns the lines to log. */
  function onEvent(event: ExecutorEvent): Line[] {
    switch (event.type) {
      case 'state-change':
        state = event.state;
        since = now();
        if (state.phase !== 'retry') retryAt = undefined;
        return [];
      case 'text-delta':
        saying = (saying + event.text).slice(-SAYING_CHARS);
        return [];
      case 'iteration-start':
        return [...said(), { type: 'iteration', iteration: event.iteration, max: state?.maxIterations ?? 0 }];
      case 'call-start':
        calls.set(event.id, { name: event.name, about: event.about, since: now() });
        return said();
      case 'call-end': {
        const call = calls.get(event.id);
        calls.delete(event.id);
        const elapsedMs = call ? now() - call.since : 0;
        const { id: _, ...ended } = event;
        const output = event.failed && call?.output !== undefined ? { output: call.output } : {};
        return [{ ...ended, type: 'call', about: call?.about ?? '', elapsedMs, ...output }];
      }
      case 'call-output': {
        const call = calls.get(event.id);
        if (call) calls.set(event.id, { ...call, output: event.line });
        return [];
      }
      case 'validation-start':
        checking = { name: 'checking', about: event.command, since: now() };
        return said();
      case 'validation-output':
        if (checking) checking = { ...checking, output: event.line };
        return [];
      case 'fold-end':
        return event.receipt.fold === 0 ? [] : [{ type: 'fold', receipt: event.receipt }];
      case 'reminder-add':
        return [event];
      case 'validation-end':
        checking = undefined;
        return [...said(), { type: 'validation', result: event.result }];
      case 'request-retry':
        retryAt = now() + event.waitMs;
        saying = '';
        return [{ ...event, type: 'retry' }];
      case 'log-line':
        return [{ ...event, type: 'log' }];
    }
  }

  function said(): Line[] {
    const text = saying;
    saying = '';
    return text.trim() === '' ? [] : [{ type: 'said', text }];
  }

  return {
    onEvent,
    moment: (): Moment => ({
      ...(state ? { state } : {}),
      since,
      calls: [...calls.values(), ...(checking ? [checking] : [])],
      saying,
      ...(retryAt === undefined ? {} : { retryAt }),
    }),
  };
}
