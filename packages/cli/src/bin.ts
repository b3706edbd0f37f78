import { contextOf } from './context.ts';
import { reportFailure } from './failure.ts';
import { main } from './program.ts';
import { guardOutput } from './view/guard-output.ts';

guardOutput(process);
const context = contextOf(process);

process.on('uncaughtException', (error) => process.exit(reportFailure(error, context)));

process.exitCode = await main(process.argv.slice(2), context);
