import type { ToolContext } from '../../providers/provider.ts';

/** Often enough for a person who watches, and cheap for a command that prints a million lines. */
const PAUSE_MS = 100;
const SHOWN_CHARS = 500;
/** More than is shown, so that no key is cut before it is found. */
const KEPT_CHARS = 8_000;
const BREAKS = /[\r\n]+/;

/** Reports the newest line of an output that is not blank, without keys, and at most every 100 ms. */
export function followOutput(report: ((line: string) => void) | undefined, redactor: ToolContext['redactor']) {
  const decoder = new TextDecoder();
  /** The line that has not ended yet, and the newest that has. */
  let [open, ended, reported] = ['', '', ''];
  let timer: NodeJS.Timeout | undefined;
  const tell = (isOver: boolean) => {
    timer = undefined;
    const last = isOver ? without(open) : begun(open);
    const newest = (last.trim() === '' ? without(ended) : last).slice(0, SHOWN_CHARS);
    if (newest.trim() === '' || newest === reported) return;
    reported = newest;
    report?.(newest);
    if (!isOver) timer = setTimeout(tell, PAUSE_MS, false).unref();
  };
  const without = (line: string) => redactor?.text(line) ?? line;
  /** What may be the start of a key is held back until the rest of it is there. */
  const begun = (line: string) =>
    redactor ? Buffer.from(redactor.bytes().write(Buffer.from(line))).toString('utf8') : line;
  return {
    write(bytes: Buffer): void {
      if (!report) return;
      const lines = (open + decoder.decode(bytes, { stream: true })).split(BREAKS);
      open = (lines.pop() ?? '').slice(0, KEPT_CHARS);
      ended = (lines.findLast((line) => line.trim() !== '') ?? ended).slice(0, KEPT_CHARS);
      if (timer === undefined) tell(false);
    },
    /** Reports the last line, and nothing from here on. */
    end(): void {
      clearTimeout(timer);
      tell(true);
    },
  };
}
