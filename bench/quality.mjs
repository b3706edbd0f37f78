// Measures the cost and content of each peer's views on recorded conversations.
import { probe, replay, summarize, summarizeProbes, total } from './measure.mjs';
import { isSystem } from './peer.mjs';
import { holdfastAt } from './peers/holdfast.mjs';

const everything = {
  name: 'send everything',
  version: '',
  budget: 'none',
  policy: () => ({ length: 0, view: (h) => h }),
};

/** Budgets at which Holdfast is compared at equal cost, in ascending order. */
const BUDGETS = [10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 160, 200, 250, 320].map((thousands) => thousands * 1000);

/** Whether a view exceeds `tokens:N`, or `messages:N` in the peer's own messages. */
function isOver(view, length, budget) {
  const [unit, limit] = budget.split(':');
  if (unit === 'tokens') return total(view) > Number(limit);
  return unit === 'messages' && length > Number(limit);
}

/** Replays every conversation with one peer: the results, and what they do not count. */
async function replayAll(peer, conversations) {
  const row = { peer, results: [], over: 0, empty: 0 };
  for (const conversation of conversations) {
    const policy = peer.policy();
    const watched = {
      async view(history) {
        const view = await policy.view(history);
        if (isOver(view, policy.length, peer.budget)) row.over++;
        if (!view.some((m) => !isSystem(m))) row.empty++;
        return view;
      },
      ...(policy.recall && { recall: policy.recall }),
    };
    row.results.push(await replay(conversation, () => watched));
  }
  row.over += row.results.reduce((sum, { refused }) => sum + refused, 0);
  return row;
}

async function probeAll(peer, conversations) {
  const found = [];
  for (const [at, conversation] of conversations.entries()) {
    const policy = peer.policy();
    // Only the last view counts, and the view of a pure peer depends on the history alone.
    const last = peer.pure ? conversation.messages.findLastIndex(({ role }) => role === 'assistant') : 0;
    const view = (history) => (history.length < last ? history : policy.view(history));
    found.push(...(await probe(conversation, () => ({ view }), { seed: at + 1 })));
  }
  return summarizeProbes(found);
}

/** One row per peer, after a row for sending everything, to which costs are relative. A peer's error ends its row, not the run. */
export async function measureQuality(peers, conversations) {
  const rows = [];
  let base;
  for (const peer of [everything, ...peers]) {
    try {
      const row = await replayAll(peer, conversations);
      base ??= row.results;
      rows.push({ ...row, figures: summarize(row.results, base), probes: await probeAll(peer, conversations) });
    } catch (error) {
      rows.push({ peer, reason: String(error?.message ?? error).split('\n')[0] });
    }
    console.error(`quality: ${peer.name}`);
  }
  return rows;
}

/** For each other library: Holdfast at the largest budget that costs no more, with the preference that then keeps more lines. */
export async function measureEqualCost(rows, conversations) {
  const base = rows[0].results;
  const known = new Map();
  const at = async (prefer, budget) => {
    const name = holdfastAt(budget, prefer).name;
    if (!known.has(name)) {
      const { results } = await replayAll(holdfastAt(budget, prefer), conversations);
      known.set(name, { budget, prefer, figures: summarize(results, base) });
      console.error(`equal cost: ${name}`);
    }
    return known.get(name);
  };
  /** Holdfast at the largest budget that costs at most this much. */
  const within = async (prefer, cost) => {
    let [low, high] = [0, BUDGETS.length]; // the first `low` budgets cost no more, those from `high` on do
    while (low < high) {
      const middle = (low + high) >> 1;
      const { figures } = await at(prefer, BUDGETS[middle]);
      if (figures.relativeCost <= cost) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? undefined : at(prefer, BUDGETS[low - 1]);
  };
  const pairs = [];
  for (const row of rows.slice(1)) {
    if (row.reason || row.peer.package === 'holdfast') continue;
    const cost = row.figures.relativeCost;
    const settings = [await within('balance', cost), await within('memory', cost)].filter((one) => one !== undefined);
    const own = settings.toSorted((a, b) => b.figures.spans - a.figures.spans)[0];
    if (own) own.probes ??= await probeAll(holdfastAt(own.budget, own.prefer), conversations);
    pairs.push({ row, own });
  }
  return pairs;
}
