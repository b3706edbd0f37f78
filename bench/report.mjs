// Writes the tables of RESULTS.md.

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)}%` : '–');
const number = (ms) => (ms === undefined ? '–' : ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2));
const label = (peer) => peer.name + (peer.summary ? ' \\*' : '');

export const versionsLine = (peers) => [...new Set(peers.map((peer) => `${peer.package} ${peer.version}`))].join(', ');

const shown = (value, digits = 1) => (value === undefined ? '–' : value.toFixed(digits));
const thousands = (tokens) => `${Math.round(tokens / 1000)}k`;

/** What each table says about each policy, and its cells. */
const MEASURES = ['cost', 'coverage', 'spans', 'pointed', 'user said', 'assistant said'];
const measured = ({ relativeCost, coverage, spans, pointed }, { user, assistant }) => [
  relativeCost.toFixed(2),
  ...[coverage, spans, pointed].map((value) => shown(value)),
  ...[user, assistant].map((value) => shown(value, 0)),
];

export const QUALITY_WORDS = `## Recorded conversations

- Cost is relative to sending everything, at prompt-cache prices.
- Coverage and spans are the percentages of names and lines used by the next call that were still in view; pointed adds the lines for which the view names the file next to a handle that brings them back.
- User said, assistant said: of the statements planted once, the percentage that the last view still held.
- Rewrites are calls that changed the cached prefix.
- Over its own budget: calls whose view exceeded the library's own limit, by the benchmark's token count, or that the library refused.
- Empty: calls whose view contained only system messages.
- \\* with a fixed short text as the summary; a model's summary may hold more of what was said.`;

export function qualityTable(title, rows, conversations) {
  const messages = conversations.reduce((sum, { messages }) => sum + messages.length, 0);
  const head = [
    'policy',
    'version',
    ...MEASURES,
    'invalid',
    'rewrites',
    'largest prompt',
    'over its own budget',
    'empty',
  ];
  const cells = rows.map(({ peer, figures, probes, over, empty, reason }) =>
    reason
      ? [label(peer), peer.version, `not measured: ${reason}`, ...Array(head.length - 3).fill('')]
      : [
          label(peer),
          peer.version,
          ...measured(figures, probes),
          `${shown(figures.invalid)}%`,
          `${shown(figures.rewrites)}%`,
          thousands(figures.total.peak),
          peer.budget === 'none' ? '–' : percent(over, figures.total.calls),
          percent(empty, figures.total.calls),
        ],
  );
  return `### ${title}

${conversations.length} conversations of at least 40,000 tokens, ${messages} messages, ${rows[0].figures.total.calls} calls, ${rows[0].probes.planted} planted statements.

${table(head, cells)}`;
}

/** The rows of the README: how they are called there, by name. */
const README_ROWS = {
  'send everything': 'send everything',
  'Holdfast fold, 40k': '**Holdfast, 40k**',
  'Holdfast fold, 80k': '**Holdfast, 80k**',
  'Holdfast fold, 100 messages': "**Holdfast, 100 messages** (the engine's default)",
};
const NOT_IN_README = /^Holdfast|at each call$/;

export function readmeTable(rows, conversations) {
  const messages = conversations.reduce((sum, { messages }) => sum + messages.length, 0);
  const rank = ({ peer }) => [...Object.keys(README_ROWS), peer.name].indexOf(peer.name);
  const used = rows.filter(({ peer, reason }) => !reason && (README_ROWS[peer.name] || !NOT_IN_README.test(peer.name)));
  const head = ['policy', ...MEASURES, 'invalid', 'largest prompt', 'over its own budget'];
  const cells = used
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ peer, figures, probes, over }) => [
      README_ROWS[peer.name] ?? label(peer),
      ...measured(figures, probes),
      `${shown(figures.invalid)}%`,
      thousands(figures.total.peak),
      peer.budget === 'none' ? '–' : percent(over, figures.total.calls),
    ]);
  return `${conversations.length} recorded conversations of coding, research and support agents (${messages.toLocaleString('en')} messages), replayed call by call at prompt-cache prices. Each library runs with its documented options and, where it accepts one, a limit of 40,000 tokens.

${table(head, cells)}`;
}

export function equalCostTable(pairs) {
  if (pairs.length === 0) return '';
  const measures = ['largest prompt', ...MEASURES];
  const head = ['library', 'limit', ...measures, 'Holdfast with', ...measures];
  const cellsOf = ({ figures, probes }) => [thousands(figures.total.peak), ...measured(figures, probes)];
  const cells = pairs.map(({ row, own }) => [
    label(row.peer),
    row.peer.budget === 'none' ? 'none' : row.peer.budget.replace(/^(\w+):(\d+)$/, '$2 $1'),
    ...cellsOf(row),
    ...(own ? [`${thousands(own.budget)}, ${own.prefer}`, ...cellsOf(own)] : ['–', ...measures.map(() => '')]),
  ]);
  return `#### At equal cost

Most libraries exceed their limit. Here each is next to Holdfast with the largest budget (in steps from 10k to 320k) that costs no more, with the defaults or with \`prefer: memory\`, whichever then keeps more lines.

${table(head, cells)}`;
}

/** The peers whose speed Holdfast is compared with. */
const RIVALS = ['LangChain trimMessages', 'AI SDK pruneMessages', 'Strands sliding', 'Mastra TokenLimiter'];

export function speedTable(rows) {
  const head = ['policy', '1,000 append', '1,000 cold', '10,000 append', '10,000 cold'];
  const cells = rows.map((row) =>
    row.reason
      ? [label(row.peer), `not measured: ${row.reason}`, '', '', '']
      : [label(row.peer), ...[1_000, 10_000].flatMap((n) => [number(row[n].append), number(row[n].cold)])],
  );
  return `## Speed

Median milliseconds of the library's own call, on generated conversations of 1,000 and 10,000 messages.

- Append: the next call in a session that already has that many messages.
- Cold: the first call on a history that the library has not seen.
- A Strands session holds at most 40 messages by then, however long the conversation; its cold figure shows what it does with a list of N messages.

${table(head, cells)}

${ratioTable(rows)}`;
}

/** Compares Holdfast, with `fold` and with `sliding`, to the fastest rival on the same N messages. */
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
  const head = ['on the same N messages', 'Holdfast, ms', 'fastest of the four, ms', 'Holdfast is faster by'];
  return lines.length === 0 ? '' : table(head, lines);
}

/**
 * Lists the speed goals that a run missed: appending is at least five times as fast as the fastest rival, and as fast at
 * the end as at the start; a cold start with `sliding` takes at most twice as long as the fastest rival's.
 */
export function missedBars(rows, { first, last }) {
  const isSlow = ({ name, what, own, best }) =>
    what === 'append' ? best < 5 * own : name.startsWith('Holdfast sliding') && own > 2 * best;
  return [
    ...ratios(rows)
      .filter(isSlow)
      .map(
        ({ name, what, n, own, best }) =>
          `${name}, ${what}, ${n} messages: ${number(own)} ms, fastest rival ${number(best)} ms`,
      ),
    ...(last > 2 * first
      ? [`a call takes ${number(last)} ms at 10,000 messages, ${number(first)} ms at the start`]
      : []),
  ];
}

export function flatTable({ first, last }) {
  return `## Time per call as the history grows

One window, 10,000 messages appended one by one, a call after each turn: ${number(first)} ms per call over the first thousand messages, ${number(last)} ms over the last thousand, a ratio of ${(last / first).toFixed(2)}.`;
}

export function sessionsTable({ rows, messages, sessions, list }) {
  const own = rows[0];
  const head = [
    'stored as',
    'first append',
    `append no. ${messages.toLocaleString('en')}`,
    'last / first',
    'last, relative to Holdfast',
    'reopen',
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

Median milliseconds to append a 4 kB message to a session (on disk when the call returns, except for the in-memory one), and to reopen the session as far as the next request needs it. Listing a store of ${sessions.toLocaleString('en')} sessions takes ${number(list)} ms.

${table(head, cells)}`;
}
