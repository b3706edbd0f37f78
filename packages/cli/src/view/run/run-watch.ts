import type { CommandEnd, ErrorCategory, ExecutorEvent, ExecutorState } from '@holdfast/agent';
import type { ValidationResult } from '@holdfast/agent/internal';
import type { Receipt } from 'holdfast';

/** What is worth a line of its own, for every way of showing it. Its texts are as they came: clean them. */
export type Line =
  | { readonly type: 'iteration'; readonly iteration: number; readonly max: number }
  | ({
      readonly type: 'call';
      readonly name: string;
      readonly about: string;
      readonly failed: boolean;
      readonly elapsed_ms: number;
    } & Partial<CommandEnd>)
  | { readonly type: 'fold'; readonly receipt: Receipt }
  | { readonly type: 'validation'; readonly result: ValidationResult }
  | { readonly type: 'retry'; readonly category: ErrorCategory; readonly wait_ms: number }
  | { readonly type: 'log'; readonly level: 'debug' | 'info' | 'warn'; readonly text: string }
  | { readonly type: 'said'; readonly text: string };

/** A tool call under way. */
export interface OpenCall {
  readonly name: string;
  readonly about: string;
  readonly since: number;
}

/** A run as it looks at this moment. */
export interface Moment {
  /** Undefined until the run said how it stands. */
  readonly state?: ExecutorState;
  /** When `state` came. */
  readonly since: number;
  /** In the order of their start. */
  readonly calls: readonly OpenCall[];
  /** The end of what the model says; empty once it has gone on to something else. */
  readonly saying: string;
  /** Until when a request that failed is held back. */
  readonly retryAt?: number;
}

/** Follows a run by its events. Stateful; reads the clock that it is given, shows nothing. */
export interface Watch {
  /** Takes one event in; answers with the lines that it is worth. */
  onEvent(event: ExecutorEvent): Line[];
  moment(): Moment;
}

// Enough for two lines of any terminal.
const SAYING_CHARS = 2_000;

export function createWatch(now: () => number): Watch {
  const calls = new Map<string, OpenCall>();
  let state: ExecutorState | undefined;
  let since = now();
  let saying = '';
  let retryAt: number | undefined;

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
        return [...said(), { type: 'iteration', iteration: event.iteration, max: state?.max_iterations ?? 0 }];
      case 'call-start':
        calls.set(event.id, { name: event.name, about: event.about, since: now() });
        return said();
      case 'call-end': {
        const call = calls.get(event.id);
        calls.delete(event.id);
        const elapsed_ms = call ? now() - call.since : 0;
        const { id: _, ...ended } = event;
        return [{ ...ended, type: 'call', about: call?.about ?? '', elapsed_ms }];
      }
      case 'fold-end':
        return event.receipt.fold === 0 ? [] : [{ type: 'fold', receipt: event.receipt }];
      case 'validation-end':
        return [...said(), { type: 'validation', result: event.result }];
      case 'request-retry':
        retryAt = now() + event.wait_ms;
        saying = '';
        return [{ type: 'retry', category: event.category, wait_ms: event.wait_ms }];
      case 'log-line':
        return [{ type: 'log', level: event.level, text: event.text }];
    }
  }

  function said(): Line[] {
    const text = saying;
    saying = '';
    return text.trim() === '' ? [] : [{ type: 'said', text }];
  }

  return {
    onEvent,
    moment: () => ({
      ...(state ? { state } : {}),
      since,
      calls: [...calls.values()],
      saying,
      ...(retryAt === undefined ? {} : { retryAt }),
    }),
  };
}
