import { asidesIn, promisesIn } from './suite.ts';

promisesIn('openai-responses');
asidesIn('openai-responses');
