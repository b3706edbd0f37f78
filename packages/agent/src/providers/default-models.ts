/** The model of each API where none is given. */
export const DEFAULT_MODELS = { 'anthropic-api': 'claude-opus-5-5', 'openai-api': 'gpt-6-sol' } as const;
