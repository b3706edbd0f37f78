import { ASIDES, freePromisesIn, promisesIn, THINKING } from './suite.ts';

promisesIn('anthropic', ASIDES, THINKING);
freePromisesIn('anthropic');
