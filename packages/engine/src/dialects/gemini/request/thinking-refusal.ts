/** Matches the words with which the API rejects a signature that it did not make, or that is missing. */
export const THINKING_REFUSAL = /(?:invalid|corrupted) thought.?signature|missing a thought.?signature/i;
