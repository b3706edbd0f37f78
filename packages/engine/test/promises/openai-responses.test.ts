import { ASIDES, promisesIn } from './suite.ts';

promisesIn('openai-responses', ASIDES);
