import type { BaseMessageLike } from '@langchain/core/messages';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { type ChatOpenAI, convertMessagesToCompletionsMessageParams } from '@langchain/openai';
import { ConversationWindow } from 'holdfast';

export function boundedGraph(chat: ChatOpenAI, tools: StructuredToolInterface[]) {
  const model = chat.bindTools(tools);
  const window = new ConversationWindow({ max_tokens: 40_000 }, { dialect: 'openai-chat' });

  async function agent(state: typeof MessagesAnnotation.State) {
    const history = convertMessagesToCompletionsMessageParams({ messages: state.messages });
    const { messages } = await window.fit(history); // the state stays complete, the model gets the view
    const answer = await model.invoke(messages as BaseMessageLike[]);
    window.observe(answer.usage_metadata);
    return { messages: [answer] };
  }

  return new StateGraph(MessagesAnnotation)
    .addNode('agent', agent)
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition)
    .addEdge('tools', 'agent')
    .compile();
}
