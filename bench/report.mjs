// The tables of RESULTS.md.

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)}%` : '–');
const share = (part, whole) => (whole ? ((100 * part) / whole).toFixed(1) : '–');
const number = (ms) => (ms === undefined ? '–' : ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2));
const label = (peer) => peer.name + (peer.summary ? ' \\*' : '');

export const versionsLine = (peers) => [...new Set(peers.map((peer) => `${peer.package} ${peer.version}`))].join(', ');

export function qualityTable(rows, conversations) {
  const messages = conversations.reduce((sum, { messages }) => sum + messages.length, 0);
  const head = [
    'policy',
    'version',
    'cost',
    'coverage',
    'spans',
    'invalid',
    'rewrites',
    'largest prompt',
    'over its own budget',
    'empty',
    'ms/call',
  ];
  const cells = rows.map(({ peer, sum, cost, reason }) =>
    sum
      ? [
          label(peer),
          peer.version,
          cost.toFixed(2),
          share(sum.had, sum.needed),
          share(sum.spansHad, sum.spans),
          percent(sum.invalid, sum.calls),
          percent(sum.rewrites, sum.calls),
          `${Math.round(sum.peak / 1000)}k`,
          peer.budget === 'none' ? '–' : percent(sum.over, sum.calls),
          percent(sum.empty, sum.calls),
          number(sum.ms / sum.calls),
        ]
      : [label(peer), peer.version, `not measured: ${reason}`, ...Array(8).fill('')],
  );
  return `## Recorded conversations

${conversations.length} conversations of at least 40,000 tokens, ${messages} messages, ${rows[0].sum.calls} calls.
Cost is relative to sending everything, at prompt-cache prices. Coverage and spans: percent of what the next call used that the view still held.
Rewrites: calls that changed the cached prefix. Over its own budget: calls whose view was larger than the limit that the peer was given, by the measure's size. Empty: calls whose view held nothing but system messages.
ms/call is the peer's own call alone, without conversions.

${table(head, cells)}

\\* with a fixed short text for a summary.`;
}

/** The peers that the speed of Holdfast is held against. */
const RIVALS = ['LangChain trimMessages', 'AI SDK pruneMessages', 'Strands sliding', 'Mastra TokenLimiter'];

export function speedTable(rows) {
  const head = ['policy', '1,000 append', '1,000 cold', '10,000 append', '10,000 cold'];
  const cells = rows.map((row) =>
    row.reason
      ? [label(row.peer), `not measured: ${row.reason}`, '', '', '']
      : [label(row.peer), ...[1_000, 10_000].flatMap((n) => [number(row[n].append), number(row[n].cold)])],
  );
  return `## Speed

Milliseconds of the peer's own call, median, on generated conversations of 1,000 and 10,000 messages.
Append: the next call of a session with that many messages behind it. Cold: the first call on a history never seen.
Strands' sessions hold no more than 40 messages by then, whatever the conversation's length: what it does with a list of N messages is its cold figure.

${table(head, cells)}

${ratioTable(rows)}`;
}

/** Holdfast against the fastest rival that is handed the same N messages: by default, and with the strategy that does what they do. */
function ratios(rows) {
  const own = rows.filter(({ peer, reason }) => !reason && /^Holdfast (?:fold, 40k|sliding)/.test(peer.name));
  const rivals = rows.filter(({ peer, reason }) => !reason && RIVALS.some((name) => peer.name.startsWith(name)));
  if (rivals.length === 0) return [];
  return own.flatMap((row) =>
    [1_000, 10_000].flatMap((n) =>
      ['append', 'cold'].map((what) => {
        const time = (rival) => (rival.peer.speed.stateful ? rival[n].cold : rival[n][what]);
        const fastest = rivals.toSorted((a, b) => time(a) - time(b))[0];
        const own = row[n][what];
        return { name: row.peer.name, what, n, own, rival: fastest.peer.name, best: time(fastest) };
      }),
    ),
  );
}

function ratioTable(rows) {
  const lines = ratios(rows).map(({ name, what, n, own, rival, best }) => [
    `${name}: ${what}, ${n} messages`,
    number(own),
    `${number(best)} (${rival})`,
    `${(best / own).toPrecision(2)} ×`,
  ]);
  const head = ['handed the same N messages', 'Holdfast, ms', 'fastest of the four, ms', 'Holdfast is faster by'];
  return lines.length === 0 ? '' : table(head, lines);
}

/**
 * What a run must show: to append is at least five times as fast as the fastest rival, and as fast at the end as at the
 * start; a cold start with `sliding` takes at most twice the time of the fastest rival.
 */
export function missedBars(rows, { first, last }) {
  const isSlow = ({ name, what, own, best }) =>
    what === 'append' ? best < 5 * own : name.startsWith('Holdfast sliding') && own > 2 * best;
  return [
    ...ratios(rows)
      .filter(isSlow)
      .map(
        ({ name, what, n, own, best }) =>
          `${name}, ${what}, ${n} messages: ${number(own)} ms, the fastest ${number(best)}`,
      ),
    ...(last > 2 * first ? [`a call takes ${number(last)} ms after 10,000 messages, ${number(first)} before`] : []),
  ];
}

export function flatTable({ first, last }) {
  return `## Flatness

One window, 10,000 messages appended one by one, a call after each turn: ${number(first)} ms a call over the first thousand messages, ${number(last)} ms over the last thousand, a ratio of ${(last / first).toFixed(2)}.`;
}

export function sessionsTable({ rows, messages }) {
  const own = rows[0];
  const head = [
    'kept as',
    'append, first',
    `append, last of ${messages.toLocaleString('en')}`,
    'last / first',
    'last, against Holdfast',
    'open again',
  ];
  const cells = rows.map(({ name, first, last, open }) => [
    name,
    number(first),
    number(last),
    `${(last / first).toPrecision(2)} ×`,
    `${(last / own.last).toPrecision(2)} ×`,
    number(open),
  ]);
  return `## Sessions

Milliseconds, median, to add one message of 4 kB to a session (on the disk when it returns, but for the one in memory), and to open it again as far as the next request needs it.

${table(head, cells)}`;
}
