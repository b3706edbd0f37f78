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
export interface Asker {
  /** Aborted by Ctrl-C and by the end of input. */
  readonly signal: AbortSignal;
  /** Asks for a line. Throws Interrupted. */
  line(prompt: string): Promise<string>;
  /** The same, but shows nothing of the answer, only its length. */
  secret(prompt: string): Promise<string>;
  /** Prints a line. */
  say(text: string): void;
  close(): void;
}

/** What to say when the user leaves. */
export const LEFT = 'setup was interrupted: nothing was saved';

/** An asker on the terminal of this process; undefined if there is none. */
export function openAsker(own: Terminal = process): Asker | undefined {
  return hasTerminalToAsk(own) ? askerOn(own) : undefined;
}

function askerOn({ stdin, stderr }: Terminal): Asker {
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

  const ask = (prompt: string, echo: (text: string) => void): Promise<string> => {
    drawn.write(prompt);
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
            echo('\u001b[D \u001b[D'.repeat(typed.length - left.length));
            typed = left;
          } else if (key >= ' ') {
            typed += key;
            echo(key);
          }
        }
      };
      stop.signal.addEventListener('abort', leave);
      if (stop.signal.aborted) leave();
      else take();
    });
  };
  return {
    signal: stop.signal,
    async line(prompt) {
      const answer = await ask(prompt, (text) => drawn.write(text));
      drawn.write('\r\n');
      return answer;
    },
    async secret(prompt) {
      const answer = await ask(prompt, () => {});
      drawn.write(answer === '' ? '\r\n' : `${answer.length} characters\r\n`);
      return answer;
    },
    say: (text) => void stderr.write(`${text}\n`),
    close() {
      stdin.off('data', hear).off('end', end).setRawMode(false);
      stdin.pause();
    },
  };
}
