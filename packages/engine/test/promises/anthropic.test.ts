import { asidesIn, promisesIn, thinkingIn } from './suite.ts';

promisesIn('anthropic');
asidesIn('anthropic');
thinkingIn('anthropic');
