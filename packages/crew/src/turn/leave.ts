/** Time that who is stopped has for its end: a program is ended within two seconds. Supported by no measurement. */
const GRACE_MS = 3_000;

/** What is waited for; once the signal is given, only for as long as an end takes, and then what `leave` says. */
export async function untilLeft<T>(running: Promise<T>, signal: AbortSignal, leave: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begin = () => {};
  const left = new Promise<T>((resolve) => {
    begin = () => {
      timer = setTimeout(() => resolve(leave()), GRACE_MS);
    };
  });
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  try {
    return await Promise.race([running, left]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', begin);
  }
}
