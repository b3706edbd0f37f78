import { NO_TOKENS, sessionTokens } from '@holdfast/models';
import type { SessionEntry, SessionInfo } from '@holdfast/sessions';
import { defined } from '../defined.ts';
import type { ExecutionResult } from '../providers/provider.ts';

/** Who answers, as a log names it. */
export interface Named {
  readonly name: string;
  readonly model: string;
}

/** What a log keeps of a prompt to a program that keeps its own conversation. Pure. */
export function promptEntries(prompt: string, { name, model }: Named, info: SessionInfo | undefined): SessionEntry[] {
  const isKnown = info?.provider === name && info.model === model;
  return [
    ...(isKnown ? [] : [{ type: 'model' as const, provider: name, model, dialect: 'openai-chat' }]),
    { type: 'message', message: { role: 'user', content: prompt } },
  ];
}

/** What a log keeps of such a program's answer, with the state that it resumes from. Pure. */
export function answerEntries(result: ExecutionResult, model: string): SessionEntry[] {
  const { output, tokenUsage, cost, conversationState: state } = result;
  const tokens = sessionTokens(tokenUsage ?? NO_TOKENS);
  return [
    ...(output === '' ? [] : [{ type: 'message' as const, message: { role: 'assistant', content: output } }]),
    defined({ type: 'usage', tokens, cost: cost?.spent, model, state }),
  ];
}
