// Measures what summaries cost and how early they start, on a generated conversation at the table's prices, and writes the
// table of docs/summaries.md. The "model" writes answers of the largest allowed size, so every figure is an upper bound.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { costOfTokens, modelInfo, NO_TOKENS } from '@holdfast/models';
import { type ConversationHistoryConfig, ConversationWindow, type Summarizer } from 'holdfast';
import { type GeneratedMessage, generateConversation } from '../examples/generate.ts';

const PAGE = fileURLToPath(new URL('../docs/summaries.md', import.meta.url));
const AGENT = 'claude-opus-5-5';
const WRITERS = [AGENT, 'claude-haiku-4-5', 'gpt-6-luna'];
const MESSAGES = 3_000;
/** The stand-in's size of a token. */
const CHARS = 3.2;

const ROWS: readonly (readonly [string, ConversationHistoryConfig])[] = [
  ['`fold`, 40,000 tokens', { max_tokens: 40_000, summarize_on_trim: true }],
  ['`fold`, 100,000 tokens', { max_tokens: 100_000, summarize_on_trim: true }],
  ['`sliding`, 100 messages', { strategy: 'sliding', summarize_on_trim: true }],
  ['`two-tier`, its defaults', { strategy: 'two-tier' }],
];

interface Asked {
  readonly prompt: number;
  readonly answer: number;
  /** Requests between the start of the summary and its fold. */
  lead: number;
}

interface Measured {
  readonly requests: number;
  readonly asked: readonly Asked[];
  /** What the agent's own requests cost, in dollars, each reading from the cache what the one before it began with. */
  readonly agent: number;
}

async function measure(config: ConversationHistoryConfig): Promise<Measured> {
  const asked: Asked[] = [];
  let requests = 0;
  let pending: { readonly one: Asked; readonly at: number } | undefined;
  const summarizer: Summarizer = {
    async call(prompt, options) {
      const most = options?.max_tokens ?? 1_024;
      const answer = words(asked.length, Math.floor(most * CHARS * 0.9));
      const one = { prompt: tokens(prompt), answer: tokens(answer), lead: 0 };
      asked.push(one);
      pending = { one, at: requests };
      return answer;
    },
  };
  const window = new ConversationWindow<GeneratedMessage>(config, {
    dialect: 'anthropic',
    summarizer,
    logger: { warn() {} },
    onEvent(event) {
      if (event.type === 'summary-failed') throw new Error(event.message);
      if (event.type === 'summary-end' && pending) pending.one.lead = requests - pending.at;
    },
  });
  const history = generateConversation({ seed: 11, messages: MESSAGES, dialect: 'anthropic' });
  let agent = 0;
  let before = '';
  for (const [index, message] of history.entries()) {
    if (message.role !== 'assistant') continue;
    const { messages } = await window.fit(history.slice(0, index));
    await new Promise((resolve) => setImmediate(resolve)); // a summary in the background is done by the next request
    const sent = messages.map((one) => JSON.stringify(one)).join('\n');
    window.observe({ input_tokens: tokens(sent), output_tokens: 0 });
    agent += price(AGENT, { ...cached(before, sent), outputTokens: tokens(JSON.stringify(message)) });
    before = sent;
    requests++;
  }
  return { requests, asked, agent };
}

function cached(before: string, sent: string) {
  let same = 0;
  while (same < before.length && before[same] === sent[same]) same++;
  const cacheReadTokens = Math.ceil(same / CHARS);
  return { cacheReadTokens, cacheWriteTokens: tokens(sent) - cacheReadTokens };
}

function price(model: string, used: Partial<typeof NO_TOKENS>): number {
  const { prices = {} } = modelInfo(model);
  const cost = costOfTokens({ ...NO_TOKENS, cacheWrite1hTokens: 0, ...used }, prices);
  if (cost === undefined) throw new Error(`the table has no prices for ${model}`);
  return cost;
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARS);
}

/** Plain words that repeat neither the prompt nor another answer. */
function words(seed: number, chars: number): string {
  let text = '';
  for (let i = 0; text.length < chars; i++) text += `item${seed}x${i} done; `;
  return text.slice(0, chars);
}

function row(name: string, { requests, asked, agent }: Measured): string {
  const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const prompts = asked.map(({ prompt }) => prompt);
  const costs = WRITERS.map((model) => {
    const all = asked.map(({ prompt, answer }) => price(model, { inputTokens: prompt, outputTokens: answer }));
    const sum = all.reduce((total, cost) => total + cost, 0);
    return `$${middle(all).toFixed(4)}, ${((100 * sum) / agent).toFixed(1)}%`;
  });
  const leads = asked.map(({ lead }) => lead);
  return `| ${[
    name,
    `${asked.length} in ${requests} requests`,
    `${Math.round(middle(prompts))}, at most ${Math.max(...prompts)}`,
    middle(asked.map(({ answer }) => answer)),
    ...costs,
    `${middle(leads)}, at least ${Math.min(...leads)}`,
  ].join(' | ')} |`;
}

const head = [
  'strategy and budget',
  'summaries',
  'tokens of a prompt',
  'of an answer',
  ...WRITERS.map((model) => `by \`${model}\``),
  'requests before its fold',
];
const lines = [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`];
for (const [name, config] of ROWS) lines.push(row(name, await measure(config)));
console.log(lines.join('\n'));
const [begin, end] = ['<!-- costs -->\n', '\n<!-- /costs -->'];
const page = readFileSync(PAGE, 'utf8');
if (!page.includes(begin) || !page.includes(end)) throw new Error('docs/summaries.md has no marker for its table');
writeFileSync(
  PAGE,
  page.slice(0, page.indexOf(begin) + begin.length) + lines.join('\n') + page.slice(page.indexOf(end)),
);
