import { freePromisesIn, promisesIn } from './suite.ts';

promisesIn('gemini');
freePromisesIn('gemini');
