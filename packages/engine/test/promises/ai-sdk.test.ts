import { promisesIn, thinkingIn } from './suite.ts';

promisesIn('ai-sdk');
thinkingIn('ai-sdk');
