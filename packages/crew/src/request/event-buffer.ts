import type { CrewEvent } from '../events.ts';

/** The events of one request, for readers that may reconnect. */
export type EventBuffer = ReturnType<typeof createEventBuffer>;

/**
 * Numbers events from 1. Joins pieces of unread text, so a slow reader does not build up a queue. Drops the oldest events that
 * were read once all exceed `kept` bytes.
 */
export function createEventBuffer(kept = 0) {
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
  return {
    push(event: CrewEvent): void {
      const last = events.at(-1);
      const before = last && last.id > read ? last.event : undefined;
      if (last && event.type === 'text-delta' && before?.type === 'text-delta' && before.agent === event.agent) {
        last.event = { ...before, text: before.text + event.text };
        last.size += event.text.length;
        bytes += event.text.length;
      } else {
        const size = event.type === 'text-delta' ? event.text.length + 60 : JSON.stringify(event).length;
        events.push({ id: next++, event, size });
        bytes += size;
      }
      while (bytes > kept && (events[0]?.id ?? next) <= read) bytes -= events.shift()?.size ?? 0;
      wake();
    },
    end(): void {
      isOver = true;
      wake();
    },
    get isOver() {
      return isOver;
    },
    get bytes() {
      return bytes;
    },
    /** False if events after this one are no longer available. */
    has: (after: number) => after < next && after + 1 >= (events[0]?.id ?? next),
    /** Events after `after`, until the end or the signal. */
    async *read(
      after = 0,
      signal?: AbortSignal,
    ): AsyncGenerator<{ readonly id: number; readonly event: CrewEvent }, void> {
      signal?.addEventListener('abort', wake);
      try {
        for (let at = after; !signal?.aborted; ) {
          const found = events[at + 1 - (events[0]?.id ?? 0)];
          if (found && found.id === at + 1) {
            at = found.id;
            read = Math.max(read, at);
            yield { id: at, event: found.event };
          } else if (isOver) return;
          else await new Promise<void>((resolve) => void waiting.add(resolve));
        }
      } finally {
        signal?.removeEventListener('abort', wake);
      }
    },
  };
}
