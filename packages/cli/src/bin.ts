import { contextOf } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { tellFailure } from './failure.ts';
import { main } from './program.ts';

const context = contextOf(process);

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(process.exitCode ?? EXIT.done); // the reader has seen enough, as in `holdfast config | head`
  });
}
process.on('uncaughtException', (error) => process.exit(tellFailure(error, context)));

process.exitCode = await main(process.argv.slice(2), context);
