import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ConversationHistoryConfig, ConversationWindow, isHoldfastError } from '../src/index.ts';
import { toAiSdk } from './convert-ai-sdk.ts';
import { toResponses } from './convert-responses.ts';
import { swapped } from './convert-swapped.ts';
import { dialectOf, type Format, type Wire } from './histories.ts';
import { floorComplaints, lowestFloor, reasoningOf, recount, violationsOf } from './promises.ts';

const folder = process.env.HOLDFAST_TRANSCRIPTS;
if (!folder) console.warn('The recorded conversations are not tested: set HOLDFAST_TRANSCRIPTS to their folder.');

interface Conversation {
  readonly name: string;
  readonly source: string;
  readonly format: Format;
  readonly messages: readonly Wire[];
  readonly usage: readonly { readonly msg: number; readonly usage: unknown; readonly tokens: number }[];
}

function* conversations(root: string): Generator<Conversation> {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    for (const file of readdirSync(join(root, entry.name)).sort()) {
      if (file.endsWith('.jsonl')) yield parse(entry.name, file, readFileSync(join(root, entry.name, file), 'utf8'));
    }
  }
}

function parse(source: string, file: string, text: string): Conversation {
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const { meta } = JSON.parse(first) as { meta: { format: Format; usage_per_call?: Record<string, number>[] } };
  const usage = (meta.usage_per_call ?? []).map((one) => {
    const {
      input_tokens = 0,
      cache_creation_input_tokens = 0,
      cache_read_input_tokens = 0,
      prompt_tokens = 0,
      msg = 0,
    } = one;
    return {
      msg,
      usage: one,
      tokens: prompt_tokens || input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
    };
  });
  return {
    name: `${source}/${file}`,
    source,
    format: meta.format,
    messages: lines.map((line) => JSON.parse(line)),
    usage,
  };
}

const BUDGETS: readonly ConversationHistoryConfig[] = [
  { max_messages: 0, max_tokens: 8_000 },
  { max_messages: 0, max_tokens: 20_000 },
  { max_messages: 0, max_tokens: 40_000 },
  { max_messages: 0, max_tokens: 80_000 },
  { max_messages: 20 },
  { max_messages: 50 },
  { max_messages: 100 },
];

const label = ({ max_tokens, max_messages }: ConversationHistoryConfig) =>
  max_tokens ? `${max_tokens} tokens` : `${max_messages} messages`;

/** Fits before each assistant message, as the agent did; gives what is wrong, and the refusals. */
async function replay({ name, format, messages }: Conversation, config: ConversationHistoryConfig) {
  const dialect = dialectOf(format);
  const window = new ConversationWindow<Wire>(config, { dialect });
  const roles = messages.map((message) => dialect.read(message).role);
  const known = format === 'openai-responses' ? { reasoning: reasoningOf(messages) } : {};
  const complaints: string[] = [];
  const floors: number[] = [];
  const max = {
    messages: config.max_messages || Number.POSITIVE_INFINITY,
    tokens: config.max_tokens ?? Number.POSITIVE_INFINITY,
  };
  for (let n = 1; n <= messages.length; n++) {
    if (n < messages.length && roles[n] !== 'assistant') continue;
    if (roles[n - 1] === 'assistant') continue;
    const history = messages.slice(0, n);
    const at = `${name} at ${n} within ${label(config)}`;
    try {
      const { messages: view, metrics } = await window.fit(history);
      for (const { rule, index } of violationsOf(format, view, known)) complaints.push(`${at}: ${rule} at ${index}`);
      const tokens = recount(format, view, window.state().calibration);
      if (view.length > max.messages || tokens > max.tokens)
        complaints.push(`${at}: ${view.length} messages, ${tokens} tokens`);
      if (metrics.estimatedTokens !== tokens)
        complaints.push(`${at}: metrics say ${metrics.estimatedTokens} tokens, a recount ${tokens}`);
    } catch (error) {
      if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') throw new Error(at, { cause: error });
      floors.push((error.details as { floor: { tokens: number } }).floor.tokens);
      complaints.push(
        ...floorComplaints(error, max, lowestFloor(format, history, 0, window.state().calibration)).map(
          (text) => `${at}: ${text}`,
        ),
      );
    }
  }
  return { complaints, floors };
}

type Convert = (conversation: Conversation) => Conversation;

/** The conversations as they were recorded, and as messages of other formats. */
const FORMS: Readonly<Record<string, Convert>> = {
  'as recorded': (conversation) => conversation,
  'as openai-chat or anthropic, whichever it is not': (conversation) => ({
    ...conversation,
    ...swapped(conversation.messages, conversation.format),
  }),
  'as openai-responses': (conversation) => ({
    ...conversation,
    format: 'openai-responses',
    messages: toResponses(conversation.messages, conversation.format),
  }),
  'as ai-sdk': (conversation) => ({
    ...conversation,
    format: 'ai-sdk',
    messages: toAiSdk(conversation.messages, conversation.format),
  }),
};

const RUNS = Object.entries(FORMS).flatMap(([form, convert]) =>
  BUDGETS.map((config) => ({ form, convert, config, budget: label(config) })),
);

test.skipIf(!folder).each(RUNS)(
  'every recorded conversation, $form, stays valid and within $budget',
  async ({ form, convert, config, budget }) => {
    const complaints: string[] = [];
    const refusals: string[] = [];
    let refused = 0;
    // Converted, every second one is enough for each day; the soak has all.
    const isWhole = form === 'as recorded' || process.env.HOLDFAST_SOAK === '1';
    let at = 0;
    for (const conversation of conversations(folder ?? '')) {
      if (at++ % 2 === 1 && !isWhole) continue;
      const found = await replay(convert(conversation), config);
      complaints.push(...found.complaints);
      refused += found.floors.length;
      if (found.floors.length > 0)
        refusals.push(
          `${conversation.name}: ${found.floors.length} calls, floors of ${Math.min(...found.floors)} to ${Math.max(...found.floors)} tokens`,
        );
    }
    if (refused > 0) console.log(`${refused} calls refused within ${budget}, ${form}:\n${refusals.join('\n')}`);
    expect(complaints.slice(0, 20)).toEqual([]);
  },
  600_000,
);

const SOUND = new Set(['entire-cli-claude', 'entire-gitsync-codex', 'entire-skills-codex']);

test.skipIf(!folder)(
  'after five observations, prompts are predicted within 5% of what was billed',
  async () => {
    const errors = new Map<string, number[]>();
    for (const { source, format, messages, usage } of conversations(folder ?? '')) {
      if (!SOUND.has(source)) continue;
      const window = new ConversationWindow<Wire>({ max_messages: 0 }, { dialect: dialectOf(format) });
      const list = errors.get(source) ?? [];
      errors.set(source, list);
      let calls = 0;
      for (const { msg, usage: reported, tokens } of usage) {
        const history = messages.slice(0, msg);
        if (tokens === 0 || history.length === 0 || history.at(-1)?.role === 'assistant') continue;
        const { metrics } = await window.fit(history);
        if (calls++ >= 5) list.push(Math.abs(metrics.estimatedTokens - tokens) / tokens);
        window.observe(reported);
      }
    }
    for (const [source, list] of errors) {
      const sorted = list.toSorted((a, b) => a - b);
      const median = sorted[Math.floor(sorted.length / 2)] ?? 1;
      console.log(
        `${source}: ${list.length} predictions, median error ${(100 * median).toFixed(2)}%, 90th percentile ${(100 * (sorted[Math.floor(sorted.length * 0.9)] ?? 1)).toFixed(2)}%`,
      );
      expect(median, source).toBeLessThanOrEqual(0.05);
    }
    expect(errors.size).toBe(SOUND.size);
  },
  600_000,
);
