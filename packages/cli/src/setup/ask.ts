import { Interrupted } from '../failure.ts';
import { hasTerminalToAsk, type Terminal } from '../trust/question.ts';
import { forDrawing } from '../view/guard-output.ts';

const ENTER = ['\r', '\n'];
const LEAVE = ['\u0003', '\u0004'];
const BACK = ['\u007f', '\b'];
const CLEAR = '\u0015';
// biome-ignore lint/suspicious/noControlCharactersInRegex: arrow keys and marks of a paste start with one
const SEQUENCES = /\u001b(?:\[[\d;]*[A-Za-z~]|O.)?/g;

/** Asks questions on a terminal. From its creation to `close` the terminal echoes nothing itself, so that no key shows. */
export type Asker = ReturnType<typeof askerOn>;

/** What to say when the user leaves. */
export const LEFT = 'setup was interrupted: nothing was saved';

/** An asker on the terminal of this process; undefined if there is none. */
export function openAsker(own: Terminal = process): Asker | undefined {
  return hasTerminalToAsk(own) ? askerOn(own) : undefined;
}

function askerOn({ stdin, stderr }: Terminal) {
  const drawn = forDrawing(stderr);
  const stop = new AbortController();
  // Typed before the question was there.
  let waiting = '';
  let take: () => void = () => {};
  const hear = (chunk: Buffer | string) => {
    waiting += String(chunk).replace(SEQUENCES, '');
    if (waiting.includes('\u0003')) stop.abort();
    take();
  };
  const end = () => stop.abort();
  stdin.setRawMode(true);
  stdin.setEncoding('utf8').on('data', hear).once('end', end).resume();

  const ask = (prompt: string, most: number): Promise<string> => {
    drawn.write(prompt);
    const shown = (text: string) => Math.min(text.length, most);
    let typed = '';
    return new Promise<string>((resolve, reject) => {
      const done = (finish: () => void) => {
        take = () => {};
        stop.signal.removeEventListener('abort', leave);
        finish();
      };
      const leave = () =>
        done(() => {
          drawn.write('\r\n');
          reject(new Interrupted(LEFT));
        });
      take = () => {
        for (let [key] = waiting; key !== undefined; [key] = waiting) {
          waiting = waiting.slice(key.length);
          if (LEAVE.includes(key)) return leave();
          if (ENTER.includes(key)) return done(() => resolve(typed.trim()));
          if (BACK.includes(key) || key === CLEAR) {
            const left = key === CLEAR ? '' : typed.slice(0, -1);
            drawn.write('\u001b[D \u001b[D'.repeat(shown(typed) - shown(left)));
            typed = left;
          } else if (key >= ' ') {
            typed += key;
            if (typed.length <= most) drawn.write(key);
          }
        }
      };
      stop.signal.addEventListener('abort', leave);
      if (stop.signal.aborted) leave();
      else take();
    });
  };
  return {
    /** Aborted by Ctrl-C and by the end of input. */
    signal: stop.signal,
    /** Asks for a line, and shows at most this many characters of it. Throws Interrupted. */
    async line(prompt: string, most = Number.POSITIVE_INFINITY): Promise<string> {
      const answer = await ask(prompt, most);
      drawn.write('\r\n');
      return answer;
    },
    /** The same, but shows nothing of the answer, only its length. */
    async secret(prompt: string): Promise<string> {
      const answer = await ask(prompt, 0);
      drawn.write(answer === '' ? '\r\n' : `${answer.length} characters\r\n`);
      return answer;
    },
    say: (text: string): void => void stderr.write(`${text}\n`),
    close(): void {
      stdin.off('data', hear).off('end', end).setRawMode(false);
      stdin.pause();
    },
  };
}
