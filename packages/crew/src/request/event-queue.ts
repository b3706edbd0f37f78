import type { CrewEvent } from '../events.ts';

/** Events on their way to one reader. For a slow reader, pieces of text are joined, so nothing is lost and little waits. */
export interface EventQueue {
  push(event: CrewEvent): void;
  end(): void;
  fail(error: unknown): void;
  /** Yields events until the end; throws the error that was passed to `fail`. */
  read(): AsyncGenerator<CrewEvent, void>;
}

export function createEventQueue(): EventQueue {
  const waiting: CrewEvent[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake = () => {};
  const finish = (how: NonNullable<typeof end>) => {
    end = how;
    wake();
  };
  return {
    push(event) {
      const last = waiting.at(-1);
      if (event.type === 'text-delta' && last?.type === 'text-delta' && last.agent === event.agent)
        waiting[waiting.length - 1] = { ...last, text: last.text + event.text };
      else waiting.push(event);
      wake();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    async *read() {
      for (;;) {
        for (let next = waiting.shift(); next; next = waiting.shift()) yield next;
        if (end && 'error' in end) throw end.error;
        if (end) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
