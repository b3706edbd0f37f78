import type { ChatMessage } from '@holdfast/replay';
import type { WireMessage } from '@holdfast/sessions';
import type { Dialect } from 'holdfast';
import { contentText } from './message-parts.ts';

/** A conversation in the form that is replayed; `origins`: for each of its messages the position in the history. */
export interface ChatForm {
  readonly messages: ChatMessage[];
  readonly origins: number[];
}

/**
 * Adds a message of the history, in any wire format: each result becomes a message of its own before the words. Items of one
 * answer become one message. A message that cannot be read is left out.
 */
export function addToChat(form: ChatForm, dialect: Dialect<WireMessage>, message: WireMessage, index: number): void {
  for (const one of chatMessages(dialect, message)) {
    const last = form.messages.at(-1);
    if (dialect.splitResponses && one.role === 'assistant' && last?.role === 'assistant')
      form.messages[form.messages.length - 1] = joined(last, one);
    else {
      form.messages.push(one);
      form.origins.push(index);
    }
  }
}

function joined(a: ChatMessage, b: ChatMessage): ChatMessage {
  const content = [a.content, b.content].filter((text) => text).join('\n');
  const calls = [...(a.tool_calls ?? []), ...(b.tool_calls ?? [])];
  return { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

function chatMessages(dialect: Dialect<WireMessage>, message: WireMessage): ChatMessage[] {
  try {
    const { role, calls, results, words: hasWords } = dialect.read(message);
    const words = hasWords ? dialect.text(message) : '';
    const answers = results.map(({ id, content }) => ({
      role: 'tool',
      tool_call_id: id,
      content: contentText(content),
    }));
    if (role !== 'assistant') {
      const speaker = role === 'system' ? 'system' : 'user';
      return [...answers, ...(words === '' ? [] : [{ role: speaker, content: words }])];
    }
    const made = calls
      .filter(({ spoken }) => !spoken)
      .map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}) },
      }));
    if (words === '' && made.length === 0) return answers;
    return [...answers, { role: 'assistant', content: words, ...(made.length > 0 ? { tool_calls: made } : {}) }];
  } catch {
    return [];
  }
}
