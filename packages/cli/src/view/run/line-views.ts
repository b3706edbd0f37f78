import type { ExecutorEvent } from '@holdfast/agent';
import { duration } from '../amounts.ts';
import { clean } from '../clean.ts';
import { flushed } from '../guard-output.ts';
import { jsonLine } from '../harmless.ts';
import { countInterrupts } from '../interrupts.ts';
import { endPhrase, foldPhrase, interruptPhrase, reminderPhrase, retryPhrase, verdictPhrase } from '../phrases.ts';
import { plainStyle } from '../style.ts';
import { cut } from '../text.ts';
import { createWatch, type Line } from './run-watch.ts';
import { summaryRows } from './summary.ts';
import type { View, ViewOptions } from './view.ts';

const BOX_COLUMNS = 80;
const ABOUT_COLUMNS = 200;

/** Prints one line per event, without colours or redrawing. */
export function plainView({ title, resume, show, verbose, onInterrupt }: ViewOptions): View {
  const { stdout, stderr } = process;
  const watch = createWatch(() => performance.now());
  const interrupts = countInterrupts(onInterrupt, (times) => stderr.write(`${interruptPhrase(times)}\n`));
  return {
    onEvent(event) {
      for (const line of watch.onEvent(event)) {
        if (line.type === 'log' && line.level === 'debug' && !verbose) continue;
        stdout.write(`${plainLine(line)}\n`);
      }
    },
    async end(result) {
      interrupts.stop();
      if (result) {
        // A dumb terminal may be narrower than the box.
        const columns = Math.min(BOX_COLUMNS, (stdout.isTTY && stdout.columns) || BOX_COLUMNS);
        const rows = summaryRows({ title, result, resume, show, columns }, plainStyle);
        stdout.write(`${rows.join('\n')}\n`);
      }
      await flushed(stdout);
    },
  };
}

/** Always a single line. */
function plainLine(line: Line): string {
  switch (line.type) {
    case 'iteration':
      return `Iteration ${line.iteration}${line.max > 0 ? `/${line.max}` : ''}`;
    case 'call': {
      const about = cut(clean(line.about).trim(), ABOUT_COLUMNS, '...');
      const ended = endPhrase(line);
      const why = line.output === undefined ? '' : `: ${cut(clean(line.output).trim(), ABOUT_COLUMNS, '...')}`;
      return `  ${line.failed ? 'failed' : 'ok'} ${clean(line.name)}${about === '' ? '' : ` ${about}`}${ended === '' ? '' : ` (${ended})`}${why}`;
    }
    case 'fold': {
      const verdicts = verdictPhrase(line.receipt);
      return `  ${foldPhrase(line.receipt, '->')}${verdicts === '' ? '' : ` (${verdicts})`}`;
    }
    case 'reminder-add':
      return `  ${reminderPhrase(line)}`;
    case 'validation': {
      const { passed, command, exitCode, elapsedMs } = line.result;
      const ended = passed ? 'passed' : exitCode === null ? 'killed by a signal' : `failed with exit code ${exitCode}`;
      return `  check ${ended}: ${clean(command)} (${duration(elapsedMs)})`;
    }
    case 'retry':
      return `  ${retryPhrase(line)}`;
    case 'log':
      return clean(line.text);
    case 'said':
      return `  | ${cut(clean(line.text).trim(), ABOUT_COLUMNS, '...')}`;
  }
}

/** What `--json` prints only with `--verbose`. */
function isDetail(event: ExecutorEvent): boolean {
  if (event.type === 'log-line') return event.level === 'debug';
  return ['text-delta', 'call-output', 'validation-output'].includes(event.type);
}

/** Prints one JSON object per line: each event, and `run-end` with the result. Nothing else goes to stdout. */
export function jsonView({ verbose, onInterrupt }: ViewOptions): View {
  const { stdout, stderr } = process;
  const interrupts = countInterrupts(onInterrupt, (times) => stderr.write(`${interruptPhrase(times)}\n`));
  return {
    onEvent(event) {
      if (!verbose && isDetail(event)) return;
      stdout.write(`${jsonLine(event)}\n`);
    },
    async end(result) {
      interrupts.stop();
      if (result) stdout.write(`${jsonLine({ type: 'run-end', result })}\n`);
      await flushed(stdout);
    },
  };
}
