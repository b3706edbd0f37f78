import type { CrewEvent } from '@holdfast/crew';

/** An event with its number in the request. */
export interface NumberedEvent {
  readonly id: number;
  readonly event: CrewEvent;
}

/** The events of one request, for readers that may reconnect. */
export interface RunBuffer {
  push(event: CrewEvent): void;
  end(): void;
  readonly isOver: boolean;
  readonly bytes: number;
  /** False if events after this one are no longer available. */
  has(after: number): boolean;
  /** Events after `after`, until the end or the signal. */
  read(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent, void>;
}

/** Bytes of events to keep for a reader that reconnects; read events are dropped first. */
const KEPT = 4_000_000;

/** Joins pieces of unread text, so a slow reader does not build up a queue. */
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
