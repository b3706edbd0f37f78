import { anthropic, ConversationWindow, english } from 'holdfast/core';

export const window = new ConversationWindow({ max_tokens: 40_000 }, { dialect: anthropic(), languages: [english] });
