import { jsonLine } from '../harmless.ts';
import { countInterrupts } from '../interrupts.ts';
import { interruptPhrase } from '../phrases.ts';
import { flushed } from '../written.ts';
import type { View, ViewSetup } from './view.ts';

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
