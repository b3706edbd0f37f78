// Measures the cost of a crew at several limits, on the stand-in with its realistic prompt caches and at the table's
// prices, and writes docs/crew.md. With HOLDFAST_TRANSCRIPTS, also what these limits lose on recorded conversations.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { anthropicApi, type Tool } from '@holdfast/agent';
import { CrewExecutor, type CrewInput, type CrewMessage } from '@holdfast/crew';
import { type ChatMessage, type Policy, replay, summarize } from '@holdfast/replay';
import { createStandIn } from '@holdfast/stand-in';
import { ConversationWindow } from 'holdfast';
import { recordedConversations } from './recorded-folds.ts';

const PAGE = fileURLToPath(new URL('../docs/crew.md', import.meta.url));
const MODEL = 'claude-sonnet-5';
const REQUESTS = 60;
const UNBOUNDED = 1_000_000;

const CREW: CrewInput = {
  entry: 'orchestrator',
  provider: { model: MODEL },
  limits: { max_seconds: 600 },
  agents: {
    orchestrator: { role: `Decide who works. ${'Keep to the rules of the house. '.repeat(60)}`, next: 'planner' },
    planner: { role: `Plan. ${'Keep to the rules of the house. '.repeat(60)}`, next: 'executor' },
    executor: { role: `Work. ${'Keep to the rules of the house. '.repeat(60)}`, tools: ['look'], next: 'reviewer' },
    reviewer: { role: `Review. ${'Keep to the rules of the house. '.repeat(60)}`, next: 'reporter' },
    reporter: { role: `Report. ${'Keep to the rules of the house. '.repeat(60)}`, terminal: true },
  },
};

const look: Tool = {
  name: 'look',
  description: 'Looks something up',
  input_schema: { type: 'object', properties: { what: { type: 'string' } } },
  run: (input) => `${JSON.stringify(input)} ${'a line of what was found; '.repeat(30)}`,
};

interface Row {
  readonly name: string;
  readonly perCall: number;
  readonly cached: number;
  readonly cost: number;
  readonly unbounded: number;
  readonly messages: number;
}

/** Runs one conversation of many requests in which the client keeps the history. */
async function measure(name: string, limit: number, strategy: 'rolling' | 'fold'): Promise<Row> {
  const answer = 'This is what I think of it, with reasons and names such as src/parser.ts and web-1. '.repeat(4);
  const standIn = await createStandIn({
    keep_bodies: 0,
    script: ({ system, results, messages }) => {
      const turn = messages.filter(({ role }) => role === 'user').length;
      if (!system.includes('You are executor') || results.length > 0) return { text: answer };
      const calls = [1, 2].map((call) => ({ name: 'look', input: { what: `part ${turn}.${call}` } }));
      return { text: 'I look.', calls };
    },
  });
  const provider = () => anthropicApi({ base_url: standIn.url, api_key: 'stand-in', model: MODEL, ask_window: false });
  const crew = new CrewExecutor({ ...CREW, strategy }, { provider, tools: [look], max_messages_per_request: limit });
  let history: readonly CrewMessage[] = [];
  let [sent, read, calls, cost, unbounded] = [0, 0, 0, 0, 0];
  for (let request = 0; request < REQUESTS; request++) {
    const result = await crew.execute(`Request ${request}: ${'please look into this and that; '.repeat(6)}`, history);
    if (result.status !== 'complete') throw new Error(`${name}: ${result.status} ${result.reason}`);
    history = result.history;
    const { tokens, requests } = result.usage.crew;
    cost += result.usage.crew.cost ?? 0;
    unbounded += result.usage.crew.everything ?? 0;
    read += tokens.cacheReadTokens;
    sent += tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;
    calls += requests;
  }
  await standIn.close();
  return { name, perCall: sent / calls, cached: read / sent, cost, unbounded, messages: history.length };
}

async function costTable(): Promise<string> {
  const rows = [await measure('no limit', UNBOUNDED, 'rolling')];
  for (const strategy of ['rolling', 'fold'] as const)
    for (const limit of [25, 50, 100, 200]) rows.push(await measure(`${limit}, \`${strategy}\``, limit, strategy));
  const [base] = rows;
  const lines = rows.map(({ name, perCall, cached, cost, unbounded, messages }) => {
    const share = (value: number, all: number | undefined) => (value / (all ?? 1)).toFixed(2);
    return `| ${name} | ${messages} | ${Math.round(perCall)} | ${share(perCall, base?.perCall)} | ${Math.round(100 * cached)}% | $${cost.toFixed(2)} | ${share(cost, base?.cost)} | $${unbounded.toFixed(2)} |`;
  });
  const head =
    '| limit, strategy | messages at the end | tokens per call | vs. no limit | from cache | cost | vs. no limit | `cost_unbounded` |';
  return [head, '|---|---|---|---|---|---|---|---|', ...lines].join('\n');
}

/** What the limits lose: the share of names used by the next call that was still in view. */
async function replayTable(folder: string): Promise<string> {
  const conversations = recordedConversations(folder, 40_000);
  const base = await Promise.all(conversations.map((one) => replay(one, () => ({ view: (history) => history }))));
  const rolling = (limit: number) => (): Policy => {
    const window = new ConversationWindow<ChatMessage>(
      { strategy: 'rolling' },
      { dialect: 'openai-chat', logger: { warn() {} } },
    );
    return { view: (history) => window.pruneHistory(history, limit).trimmed };
  };
  const fold = (limit: number) => (): Policy => {
    const last = limit < 60 ? { preserve_last_n: Math.floor(limit / 3) } : {};
    const window = new ConversationWindow<ChatMessage>(
      { max_messages: limit, ...last },
      { dialect: 'openai-chat', logger: { warn() {} } },
    );
    return { view: async (history) => (await window.fit(history)).messages };
  };
  const lines: string[] = [];
  for (const [name, policy] of [
    ['rolling', rolling],
    ['fold', fold],
  ] as const)
    for (const limit of [25, 50, 100, 200]) {
      const results = [];
      for (const one of conversations) results.push(await replay(one, policy(limit)));
      const { relativeCost = 0, coverage = 100 } = summarize(results, base);
      const invalid = results.reduce((sum, one) => sum + one.invalid, 0);
      lines.push(`| ${limit}, \`${name}\` | ${relativeCost.toFixed(2)} | ${coverage.toFixed(1)} | ${invalid} |`);
    }
  return [`| limit, strategy | cost vs. no limit | coverage | invalid requests |`, '|---|---|---|---|', ...lines].join(
    '\n',
  );
}

function written(page: string, name: string, table: string): string {
  const begin = `<!-- ${name} -->\n`;
  const end = `\n<!-- /${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < 0) throw new Error(`docs/crew.md has no marker for the table ${name}`);
  return page.slice(0, from + begin.length) + table + page.slice(to);
}

let page = readFileSync(PAGE, 'utf8');
page = written(page, 'costs', await costTable());
const folder = process.env.HOLDFAST_TRANSCRIPTS;
if (folder) page = written(page, 'replay', await replayTable(folder));
writeFileSync(PAGE, page);
console.log('updated the tables in docs/crew.md');
