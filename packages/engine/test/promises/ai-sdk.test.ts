import { freePromisesIn, promisesIn, THINKING } from './suite.ts';

promisesIn('ai-sdk', THINKING);
freePromisesIn('ai-sdk');
