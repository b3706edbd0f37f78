// Measures the cost and content of each peer's views on recorded conversations.
import { total } from './measure.mjs';
import { isSystem } from './peer.mjs';

const everything = {
  name: 'send everything',
  version: '',
  budget: 'none',
  policy: () => ({ ms: 0, length: 0, view: (h) => h }),
};

/** Whether a view exceeds `tokens:N`, or `messages:N` in the peer's own messages. */
function isOver(view, length, budget) {
  const [unit, limit] = budget.split(':');
  if (unit === 'tokens') return total(view) > Number(limit);
  return unit === 'messages' && length > Number(limit);
}

/** Replays every conversation with one peer and sums up; a peer's error ends its row, not the run. */
async function replayAll(peer, conversations, replay) {
  const sum = { over: 0, empty: 0, ms: 0 };
  for (const conversation of conversations) {
    const policy = peer.policy();
    const watched = {
      async view(history) {
        const view = await policy.view(history);
        if (isOver(view, policy.length, peer.budget)) sum.over++;
        if (!view.some((m) => !isSystem(m))) sum.empty++;
        return view;
      },
    };
    const { ms: _, ...result } = await replay(conversation, () => watched);
    for (const [key, value] of Object.entries(result)) {
      sum[key] = key === 'peak' ? Math.max(sum[key] ?? 0, value) : (sum[key] ?? 0) + value;
    }
    sum.ms += policy.ms;
  }
  return sum;
}

/** One row per peer, after a row for sending everything, to which costs are relative. */
export async function measureQuality(peers, conversations, replay) {
  const rows = [];
  for (const peer of [everything, ...peers]) {
    try {
      rows.push({ peer, sum: await replayAll(peer, conversations, replay) });
    } catch (error) {
      rows.push({ peer, reason: String(error?.message ?? error).split('\n')[0] });
    }
    console.error(`quality: ${peer.name}`);
  }
  const base = rows[0].sum.cost;
  for (const row of rows) if (row.sum) row.cost = row.sum.cost / base;
  return rows;
}
