import { contextOf } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { reportFailure } from './failure.ts';
import { main } from './program.ts';
import { guardOutput } from './view/guard-output.ts';

guardOutput(process);
const context = contextOf(process);

process.on('uncaughtException', (error) => {
  reportFailure(error, context).then(
    (code) => process.exit(code),
    (cause) => {
      context.tell(String(cause));
      process.exit(EXIT.failed);
    },
  );
});

process.exitCode = await main(process.argv.slice(2), context);
