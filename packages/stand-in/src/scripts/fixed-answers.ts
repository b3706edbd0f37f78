import { HoldfastError } from 'holdfast';
import type { Answer, Script } from '../script.ts';

/** Returns the answers in order, one per request, and fails when there are no more. The only script with state. */
export function fixedAnswers(...answers: readonly (Answer | string)[]): Script {
  let next = 0;
  return () => {
    const answer = answers[next++];
    if (answer === undefined) {
      const text = `fixedAnswers: no answer left for request ${next}, only ${answers.length} given; add one for each request, including retries.`;
      throw new HoldfastError('PROVIDER_FAILED', text);
    }
    return typeof answer === 'string' ? { text: answer } : answer;
  };
}
