import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import { type ChatCall, type ChatMessage, plainText } from 'holdfast/replay';

/** Turns items of the Responses API into messages, those of one response into one. */
export interface Items {
  /** True if it was an item that says something. */
  add(item: unknown): boolean;
  /** The answer that is not ended yet, if there is one, ends. */
  end(): void;
}

/** Items that become messages, given to `say` in order. */
export function createItems(say: (message: ChatMessage) => void): Items {
  let words: string[] = [];
  let calls: ChatCall[] = [];
  const end = (): void => {
    if (words.length > 0 || calls.length > 0) {
      const message = { role: 'assistant', content: words.join('\n') || null };
      say(calls.length > 0 ? { ...message, tool_calls: calls } : message);
    }
    words = [];
    calls = [];
  };
  return {
    end,
    add(given) {
      const item = fieldsOf(given);
      const type = String(item.type ?? 'message');
      if (type === 'message') {
        const role = String(item.role ?? 'user');
        if (role === 'assistant') words.push(plainText(item.content));
        else {
          end();
          say({ role, content: plainText(item.content) });
        }
      } else if (type === 'reasoning') {
        const text = plainText(item.summary ?? item.content);
        if (text === '') return false;
        words.push(text);
      } else if (type.endsWith('_output')) {
        end();
        say({ role: 'tool', tool_call_id: String(item.call_id ?? item.id), content: outputText(item.output) });
      } else if (type.endsWith('_call') && (item.call_id ?? item.id) !== undefined && isClients(type)) {
        calls.push(chatCall(item, type));
      } else return false;
      return true;
    },
  };
}

/** What the server runs is answered by itself and has no output item. */
function isClients(type: string): boolean {
  return /^(?:function|custom_tool|local_shell|shell|apply_patch|computer)_call$/.test(type);
}

function chatCall(item: Fields, type: string): ChatCall {
  const name = typeof item.name === 'string' ? item.name : type.replace(/_call$/, '');
  const { arguments: own, input, action, operation } = item;
  const given =
    typeof own === 'string'
      ? own
      : JSON.stringify(own ?? (input === undefined ? (action ?? operation ?? {}) : { input }));
  return { id: String(item.call_id ?? item.id), type: 'function', function: { name, arguments: given } };
}

/** Older recorders wrap the text with an exit code: `{"output": …, "metadata": …}`. */
function outputText(output: unknown): string {
  const { content, output: inner } = fieldsOf(output);
  return plainText(content ?? inner ?? output);
}
