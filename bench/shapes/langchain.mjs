// Chat messages as LangChain messages.
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { argumentsOf } from '../peer.mjs';

/** One chat message as a LangChain message with the given id. */
export function toLangChain(message, id) {
  const content = message.content ?? '';
  switch (message.role) {
    case 'user':
      return new HumanMessage({ id, content });
    case 'assistant':
      return new AIMessage({
        id,
        content,
        tool_calls: (message.tool_calls ?? []).map((call) => ({
          type: 'tool_call',
          id: call.id,
          name: call.function.name,
          args: argumentsOf(call),
        })),
      });
    case 'tool':
      return new ToolMessage({ id, content, tool_call_id: message.tool_call_id });
    default:
      return new SystemMessage({ id, content });
  }
}
