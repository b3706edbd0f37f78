/** Matches the code or the words with which the API rejects thinking that does not belong to the messages before it. */
export const THINKING_REFUSAL =
  /Invalid `(?:signature|data)` in `(?:redacted_)?thinking`|`(?:redacted_)?thinking` blocks in the latest assistant message cannot be modified|Expected `?thinking`? or `?redacted_thinking`?/i;
