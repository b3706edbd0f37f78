// LangChain `summarizationMiddleware`: trigger at 40,000 tokens, keep 20 messages (the default), the measure's own size
// as the token counter, and a model that answers with a fixed text. The hook that an agent runs before each model call
// is called directly, and its answer replaces the state's messages, as in an agent. The system prompt belongs to the
// agent, not to the state: the middleware would summarize a system message away.
import { summarizationMiddleware } from 'langchain';
import { size } from '../measure.mjs';
import { definePeer, LIMIT, SUMMARY, systemHead } from '../peer.mjs';
import { toLangChain } from '../shapes/langchain.mjs';

const copies = new WeakMap();

// On its way to a summary LangChain makes copies, which have no source, and shortens the text of some.
function sizeOfCopy(message) {
  const known = copies.get(message);
  if (known?.content === message.content) return known.tokens;
  const tool_calls = message.tool_calls?.map((call) => ({
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
  const tokens = size({ content: message.content, tool_calls });
  copies.set(message, { content: message.content, tokens });
  return tokens;
}

function open() {
  const head = systemHead('system');
  const sourceOf = new WeakMap();
  let pushed = 0;
  let messages = [];
  const { beforeModel } = summarizationMiddleware({
    model: { invoke: async () => ({ content: SUMMARY }) },
    trigger: { tokens: LIMIT },
    keep: { messages: 20 },
    tokenCounter: (list) =>
      list.reduce((sum, message) => {
        const source = sourceOf.get(message);
        return sum + (source ? size(source) : sizeOfCopy(message));
      }, 0),
  });
  return {
    push(m) {
      if (head.take(m)) return;
      const message = toLangChain(m, `m${pushed++}`);
      sourceOf.set(message, m);
      messages.push(message);
    },
    async run() {
      const update = await beforeModel({ messages }, { context: {} });
      if (update) messages = update.messages.filter((message) => message.getType() !== 'remove');
      return messages;
    },
    chat: (result) =>
      head.before(
        result.map((message) => {
          if (!sourceOf.has(message)) sourceOf.set(message, { role: 'user', content: message.content });
          return sourceOf.get(message);
        }),
      ),
  };
}

export default definePeer({
  name: 'LangChain summarization, 40k',
  package: 'langchain',
  budget: 'tokens:40000',
  summary: true,
  stateful: true,
  open,
});
