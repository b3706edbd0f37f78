import type { CrewEvent } from '../events.ts';

/** Events on their way to one reader. A slow reader gets words in larger pieces: nothing is lost, and little waits. */
export interface EventQueue {
  push(event: CrewEvent): void;
  end(): void;
  fail(error: unknown): void;
  /** Gives events until the end; throws what it failed with. */
  read(): AsyncGenerator<CrewEvent, void>;
}

export function createEventQueue(): EventQueue {
  const waiting: CrewEvent[] = [];
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  const roused = (change: () => void) => {
    change();
    wake();
  };
  return {
    push: (event) =>
      roused(() => {
        const last = waiting.at(-1);
        const isMore = event.type === 'text-delta' && last?.type === 'text-delta' && last.agent === event.agent;
        if (isMore) waiting[waiting.length - 1] = { ...last, text: last.text + event.text };
        else waiting.push(event);
      }),
    end: () =>
      roused(() => {
        isOver = true;
      }),
    fail: (error) =>
      roused(() => {
        failure = { error };
        isOver = true;
      }),
    async *read() {
      for (;;) {
        for (let next = waiting.shift(); next; next = waiting.shift()) yield next;
        if (failure) throw failure.error;
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
