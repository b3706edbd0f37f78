export { isInside } from '../executor/inside.ts';
export { createRedactor, knownKeys } from '../loop/redactor.ts';
export { readCommandText } from './commands/command-text.ts';
export { runGroup } from './commands/run-group.ts';
export { realPath } from './files/real-path.ts';
export { filledOutput } from './outputs/capture.ts';
export { maskedOutputs } from './outputs/masked-outputs.ts';
