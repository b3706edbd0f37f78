import { setTimeout as sleep } from 'node:timers/promises';
import { isHoldfastError } from 'holdfast';
import { HELP, readOptions, WrongInput } from './show/options.ts';
import { type Screen, showReplay } from './show/replay.ts';
import { createPaint } from './show/terminal.ts';

/** The total of all pauses in a replay. */
const SHOW_MS = 1_800;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0); // the reader closed the pipe, as in `npm run window | head`
});

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) console.log(HELP);
  else await showReplay(options, terminal());
} catch (error) {
  if (!(error instanceof WrongInput) && !isHoldfastError(error)) throw error;
  console.error(`window: ${error.message.split('\n')[0]}`);
  process.exitCode = 2;
}

function terminal(): Screen {
  const live = process.stdout.isTTY === true;
  return {
    paint: createPaint(live && !process.env.NO_COLOR),
    print: (line) => console.log(line),
    pause: async (calls) => {
      if (live) await sleep(SHOW_MS / calls);
    },
  };
}
