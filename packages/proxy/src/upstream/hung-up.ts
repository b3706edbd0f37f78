import type { ServerResponse } from 'node:http';

/** Aborts when the client disconnects before its answer is complete. */
export function hungUp(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
