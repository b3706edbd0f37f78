// pi's compaction from `@earendil-works/pi-agent-core`, default settings (16,384 tokens reserved, 20,000 recent ones
// kept) in a context window that puts its threshold at 40,000. pi goes by the usage that the provider reported for the
// newest answer; each answer here reports the measure's size. What it keeps is counted at 4 characters a token.
// The preparation, the check and the compaction run in the order of pi's own harness, before each model call; the
// model answers with a fixed text. 0.87.1 is the last version with compaction in this package; from 1.0 on it lives in
// `@earendil-works/pi-coding-agent`, whose dependencies could not all be installed when this was written.
import {
  BACKGROUND_CONTEXT,
  compact,
  convertToLlm,
  createCompactionSummaryMessage,
  prepareCompaction,
  DEFAULT_COMPACTION_SETTINGS as settings,
  shouldCompact,
} from '@earendil-works/pi-agent-core';
import { size, total } from '../measure.mjs';
import { argumentsOf, definePeer, LIMIT, SUMMARY, systemHead } from '../peer.mjs';

const model = { id: 'fixed', provider: 'fixed', contextWindow: LIMIT + settings.reserveTokens, maxTokens: 0 };
const usageOf = (totalTokens) => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});
const answer = { role: 'assistant', content: [{ type: 'text', text: SUMMARY }], stopReason: 'stop', usage: usageOf(0) };
const models = { completeSimple: async () => answer };

function toPi(m, timestamp, promptTokens) {
  const text = m.content ? [{ type: 'text', text: m.content }] : [];
  if (m.role === 'tool') {
    return {
      role: 'toolResult',
      toolCallId: m.tool_call_id,
      toolName: 'tool',
      content: text,
      isError: false,
      timestamp,
    };
  }
  if (m.role !== 'assistant') return { role: 'user', content: text, timestamp };
  const calls = (m.tool_calls ?? []).map((call) => ({
    type: 'toolCall',
    id: call.id,
    name: call.function.name,
    arguments: argumentsOf(call),
  }));
  const stopReason = calls.length ? 'toolUse' : 'stop';
  return {
    role: 'assistant',
    content: [...text, ...calls],
    stopReason,
    usage: usageOf(promptTokens + size(m)),
    timestamp,
  };
}

const unwrap = (result) => {
  if (!result.ok) throw result.error;
  return result.value;
};

function open() {
  const head = systemHead('user');
  const sourceOf = new WeakMap();
  let entries = [];
  let context = [];
  let clock = 0;
  let promptTokens = 0;

  return {
    push(m) {
      const message = toPi(m, clock, promptTokens);
      promptTokens += size(m);
      if (head.take(m)) return;
      sourceOf.set(message, m);
      entries.push({ type: 'message', id: String(clock), timestamp: clock, message });
      context.push(message);
      clock++;
    },
    async run() {
      const preparation = unwrap(prepareCompaction(entries, settings));
      if (preparation && shouldCompact(preparation.tokensBefore, model.contextWindow, settings)) {
        const result = unwrap(
          await compact(preparation, models, model, undefined, undefined, undefined, undefined, BACKGROUND_CONTEXT),
        );
        entries = [{ type: 'compaction', id: `c${clock}`, timestamp: clock, ...result }];
        const summary = createCompactionSummaryMessage(result.summary, result.tokensBefore, clock);
        context = [...convertToLlm([summary]), ...result.retainedTail];
      }
      return context;
    },
    chat(messages) {
      const view = head.before(
        messages.map((message) => {
          if (!sourceOf.has(message)) sourceOf.set(message, { role: 'user', content: message.content[0].text });
          return sourceOf.get(message);
        }),
      );
      promptTokens = total(view);
      return view;
    },
  };
}

export default definePeer({
  name: 'pi compaction, 40k',
  package: '@earendil-works/pi-agent-core',
  budget: 'tokens:40000',
  summary: true,
  stateful: true,
  open,
});
