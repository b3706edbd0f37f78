import { contextOf } from './context.ts';
import { tellFailure } from './failure.ts';
import { main } from './program.ts';
import { guardOutput } from './view/printed.ts';

guardOutput(process);
const context = contextOf(process);

process.on('uncaughtException', (error) => process.exit(tellFailure(error, context)));

process.exitCode = await main(process.argv.slice(2), context);
