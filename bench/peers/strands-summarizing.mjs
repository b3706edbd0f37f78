// Strands `SummarizingConversationManager` with its defaults (the oldest 30% summarized, the newest 10 messages kept)
// and proactive compression, which is what makes it act before an overflow. Threshold 1 of a window of 40,000 tokens:
// it acts at the same size as the other peers. The prompt's size is the measure's; the model answers with a fixed text.
import { SummarizingConversationManager } from '@strands-agents/sdk';
import { definePeer, LIMIT } from '../peer.mjs';
import { strandsSession } from '../shapes/strands.mjs';

export default definePeer({
  name: 'Strands summarizing, 40k',
  package: '@strands-agents/sdk',
  budget: 'tokens:40000',
  summary: true,
  stateful: true,
  open: () =>
    strandsSession(new SummarizingConversationManager({ proactiveCompression: { compressionThreshold: 1 } }), {
      contextWindowLimit: LIMIT,
    }),
});
