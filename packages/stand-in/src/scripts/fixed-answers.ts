import { HoldfastError } from 'holdfast';
import type { Answer, Script } from '../script.ts';

/** Gives the answers in their order, one for each request, and fails when there are no more. The only script with a memory. */
export function fixedAnswers(...answers: readonly (Answer | string)[]): Script {
  let next = 0;
  return () => {
    const answer = answers[next++];
    if (answer === undefined) {
      const text = `fixedAnswers: request ${next} of ${answers.length}: there is no answer left; give one for each request, also for those that are sent again.`;
      throw new HoldfastError('PROVIDER_FAILED', text);
    }
    return typeof answer === 'string' ? { text: answer } : answer;
  };
}
