/** Matches the code or the words with which the API rejects thinking that does not belong to the messages before it. */
export const THINKING_REFUSAL =
  /invalid_encrypted_content|encrypted content .*could not be (?:verified|decrypted)|Item with id 'rs_[^']*' not found|Reasoning input items can only be provided to a reasoning/i;
