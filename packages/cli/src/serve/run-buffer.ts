import type { CrewEvent } from '@holdfast/crew';

/** An event with its place in its request. */
export interface Placed {
  readonly id: number;
  readonly event: CrewEvent;
}

/** What happened in one request, for readers that come, go and come back. */
export interface RunBuffer {
  push(event: CrewEvent): void;
  end(): void;
  readonly isOver: boolean;
  /** How much it holds. */
  readonly bytes: number;
  /** False if events behind this one are no longer there. */
  has(after: number): boolean;
  /** Events behind `after`, as they come, to the end or until the signal. */
  read(after: number, signal: AbortSignal): AsyncGenerator<Placed, void>;
}

/** Bytes of events that are kept for a reader who comes back; what is read goes first. */
const KEPT = 4_000_000;

/** Words that nobody has read yet grow together, so a slow reader makes no queue. */
export function createRunBuffer(): RunBuffer {
  const events: { readonly id: number; event: CrewEvent; size: number }[] = [];
  let next = 1;
  let read = 0;
  let bytes = 0;
  let isOver = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const go of waiting) go();
    waiting.clear();
  };
  const push = (event: CrewEvent) => {
    const last = events.at(-1);
    const isMore = event.type === 'text-delta' && last?.event.type === 'text-delta' && last.event.agent === event.agent;
    if (isMore && last.event.type === 'text-delta' && last.id > read) {
      last.event = { ...last.event, text: last.event.text + event.text };
      last.size += event.text.length;
      bytes += event.text.length;
    } else {
      const size = event.type === 'text-delta' ? event.text.length + 60 : JSON.stringify(event).length;
      events.push({ id: next++, event, size });
      bytes += size;
    }
    while (bytes > KEPT && (events[0]?.id ?? next) <= read) bytes -= events.shift()?.size ?? 0;
    wake();
  };
  return {
    push,
    end() {
      isOver = true;
      wake();
    },
    get isOver() {
      return isOver;
    },
    get bytes() {
      return bytes;
    },
    has: (after) => after < next && after + 1 >= (events[0]?.id ?? next),
    async *read(after, signal) {
      const stop = () => wake();
      signal.addEventListener('abort', stop);
      try {
        for (let at = after; ; ) {
          if (signal.aborted) return;
          const found = events[at + 1 - (events[0]?.id ?? 0)];
          if (found && found.id === at + 1) {
            at = found.id;
            read = Math.max(read, at);
            yield { id: at, event: found.event };
          } else if (isOver) return;
          else
            await new Promise<void>((resolve) => {
              waiting.add(resolve);
            });
        }
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
  };
}
