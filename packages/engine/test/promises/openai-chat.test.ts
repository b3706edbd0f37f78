import { promisesIn } from './suite.ts';

promisesIn('openai-chat');
