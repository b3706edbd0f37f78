import type { SessionEntry } from '@holdfast/sessions';
import type { OpenCalls } from '../loop/open-calls.ts';

type Recording = (entries: readonly SessionEntry[]) => Promise<readonly SessionEntry[]>;

/** What one execution writes into the log of a run. */
export interface ExecutionLog {
  readonly record: Recording;
  /** True once the execution was cut off and its entries are no longer written. */
  readonly isCut: boolean;
  /** The calls of the newest answer. */
  opened(open: OpenCalls): void;
  /** Call when a call ends by itself: its result may be written. */
  ended(id: string): void;
}

/**
 * Writes what an execution records until it is cut off. What it then says about stopped calls or an interrupted answer is not
 * written, so the next process finds those calls begun, and asks for that answer again.
 */
export function createExecutionLog(record: Recording, signal: AbortSignal): ExecutionLog {
  let waiting = new Set<string>();
  let unwritten = new Set<string>();
  let isCut = false;
  const isCutBy = (entry: SessionEntry): boolean => {
    if (entry.type === 'result') return !unwritten.has(entry.id);
    if (entry.type !== 'message') return false;
    return waiting.size > 0 || (signal.aborted && unwritten.size === 0);
  };
  return {
    get isCut() {
      return isCut;
    },
    opened({ calls, results }) {
      unwritten = new Set(results.map(({ id }) => id));
      waiting = new Set(calls.map(({ id }) => id).filter((id) => !unwritten.has(id)));
    },
    ended(id) {
      if (waiting.delete(id)) unwritten.add(id);
    },
    async record(entries) {
      isCut ||= entries.some(isCutBy);
      if (!isCut) {
        if (entries.some(({ type }) => type === 'message')) unwritten.clear();
        return record(entries);
      }
      // The window is no longer where the log is.
      const used = entries.flatMap((entry) => (entry.type === 'usage' ? [withoutWindow(entry)] : []));
      if (used.length > 0) await record(used);
      return entries;
    },
  };
}

function withoutWindow({ window: _, ...entry }: Extract<SessionEntry, { type: 'usage' }>): SessionEntry {
  return entry;
}
