// Google ADK `TokenBasedContextCompactor`: threshold of 40,000 tokens, a summarizer that gives a fixed text, and 20
// events retained: there is no default, the documentation retains 1 or 5 under far smaller thresholds, and 20 is what
// LangChain keeps. The two request processors of an agent run in their usual order: compaction, then the contents of
// the request. ADK compares the prompt size that the model reported for the newest answer, so that it acts one call
// late; each answer here reports the measure's size. Parallel results are one event, as ADK records them. Instructions
// travel outside of the events. The contents are copies, so that each carries the numbers of its chat messages.
import {
  ContentRequestProcessor,
  ContextCompactorRequestProcessor,
  createEvent,
  LlmAgent,
  LlmSummarizer,
  TokenBasedContextCompactor,
} from '@google/adk';
import { total } from '../measure.mjs';
import { argumentsOf, definePeer, LIMIT, SUMMARY, systemHead } from '../peer.mjs';

const AGENT = 'agent';
const model = {
  async *generateContentAsync() {
    yield { content: { role: 'model', parts: [{ text: SUMMARY }] } };
  },
};
const silent = { runBeforeContextCompaction: async () => {}, runAfterContextCompaction: async () => {} };

const toParts = (m) => [
  ...(m.content ? [{ text: m.content }] : []),
  ...(m.tool_calls ?? []).map((call) => ({
    functionCall: { id: call.id, name: call.function.name, args: argumentsOf(call) },
  })),
];
const resultPart = (m) => ({
  functionResponse: { id: m.tool_call_id, name: 'tool', response: { output: m.content ?? '' } },
});

function open() {
  const summarizer = new LlmSummarizer({ llm: model });
  const compactor = new TokenBasedContextCompactor({ tokenThreshold: LIMIT, eventRetentionSize: 20, summarizer });
  const processors = [new ContextCompactorRequestProcessor([compactor]), new ContentRequestProcessor()];
  const events = [];
  const context = { session: { events }, agent: new LlmAgent({ name: AGENT }), pluginManager: silent };
  const head = systemHead('user');
  const sources = [];
  const notes = new Map();
  let promptTokens = 0;
  let newest;

  return {
    push(m) {
      const isResult = m.role === 'tool';
      const usageMetadata = m.role === 'assistant' ? { promptTokenCount: promptTokens } : undefined;
      promptTokens += total([m]);
      if (head.take(m)) return;
      const number = sources.push(m) - 1;
      if (isResult && newest?.content.isResult) {
        newest.content.parts.push(resultPart(m));
        newest.content.numbers.push(number);
        return;
      }
      newest = createEvent({
        author: m.role === 'assistant' ? AGENT : 'user',
        content: {
          role: m.role === 'assistant' ? 'model' : 'user',
          parts: isResult ? [resultPart(m)] : toParts(m),
          numbers: [number],
          isResult,
        },
        usageMetadata,
        timestamp: number + 1, // ADK takes 0 for "now"
      });
      events.push(newest);
    },
    async run() {
      const request = { contents: [] };
      for (const processor of processors) for await (const _ of processor.runAsync(context, request));
      return request.contents;
    },
    chat(contents) {
      const view = contents.flatMap((content) => {
        if (content.numbers) return content.numbers.map((number) => sources[number]);
        const text = content.parts.map((part) => part.text).join('\n');
        if (!notes.has(text)) notes.set(text, { role: 'user', content: text });
        return [notes.get(text)];
      });
      promptTokens = total(head.before(view));
      return head.before(view);
    },
  };
}

export default definePeer({
  name: 'Google ADK token compactor, 40k',
  package: '@google/adk',
  budget: 'tokens:40000',
  summary: true,
  stateful: true,
  open,
});
