import { countInterrupts } from './interrupts.ts';
import { interruptPhrase } from './phrases.ts';
import type { View, ViewSetup } from './view.ts';
import { flushed } from './written.ts';

/** One JSON object a line: each event, and `run-end` with the result. Never anything else on stdout. */
export function jsonView({ stdout, stderr, verbose, onInterrupt }: ViewSetup): View {
  const interrupts = countInterrupts(onInterrupt, (times) => stderr.write(`${interruptPhrase(times)}\n`));
  return {
    onEvent(event) {
      if (!verbose && (event.type === 'text-delta' || (event.type === 'log-line' && event.level === 'debug'))) return;
      stdout.write(`${jsonLine(event)}\n`);
    },
    async end(result) {
      interrupts.stop();
      if (result) stdout.write(`${jsonLine({ type: 'run-end', result })}\n`);
      await flushed(stdout);
    },
  };
}

/** A value as one line that can do nothing to a terminal. Pure. JSON leaves DEL and the C1 controls as they are, and a terminal may obey them. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
