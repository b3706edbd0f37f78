// LangChain `trimMessages`, as its documentation sets it for a chat history with tools: keep the last messages within
// the limit, start on a human message, end on a human or tool message, keep the system message.
// The token counter is the measure's own size, looked up, so that only LangChain's work is timed.
// LangChain keeps only the first system message, so all leading ones are merged into it.
// trimMessages copies every message, so ids identify them. If no human message fits into the limit, it returns an empty
// list or, with a system message, a list of one `undefined`: an empty view, counted in the column of that name.
import { SystemMessage, trimMessages } from '@langchain/core/messages';
import { size } from '../measure.mjs';
import { definePeer, isSystem, LIMIT } from '../peer.mjs';
import { toLangChain } from '../shapes/langchain.mjs';

function open() {
  const messages = [];
  const sources = new Map();
  const tokens = new Map();
  const options = {
    maxTokens: LIMIT,
    tokenCounter: (list) => list.reduce((sum, message) => sum + tokens.get(message.id), 0),
    strategy: 'last',
    startOn: 'human',
    endOn: ['human', 'tool'],
    includeSystem: true,
  };
  return {
    push(m) {
      const head = sources.get('0');
      if (messages.length === 1 && isSystem(head[0]) && isSystem(m)) {
        head.push(m);
        messages[0] = new SystemMessage({ id: '0', content: head.map((x) => x.content).join('\n') });
        tokens.set('0', tokens.get('0') + size(m));
        return;
      }
      const id = String(messages.length);
      messages.push(toLangChain(m, id));
      sources.set(id, [m]);
      tokens.set(id, size(m));
    },
    run: () => trimMessages(messages, options),
    chat: (result) => result.flatMap((message) => (message ? sources.get(message.id) : [])),
  };
}

export default definePeer({
  name: 'LangChain trimMessages, 40k',
  package: '@langchain/core',
  budget: 'tokens:40000',
  pure: true,
  open,
});
