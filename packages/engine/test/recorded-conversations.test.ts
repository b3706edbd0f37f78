import { expect, test } from 'vitest';
import { type ConversationHistoryConfig, ConversationWindow, isHoldfastError } from '../src/index.ts';
import { toAiSdk } from './convert-ai-sdk.ts';
import { toGemini } from './convert-gemini.ts';
import { toResponses } from './convert-responses.ts';
import { swapped } from './convert-swapped.ts';
import { deepFreeze, dialectOf, type Wire } from './histories.ts';
import { floorComplaints, lowestFloor, recount, violationsOf } from './promises.ts';
import { type Conversation, type Course, conversationsIn, courseOf, sample } from './recordings.ts';

const folder = process.env.HOLDFAST_TRANSCRIPTS;
if (!folder) console.warn('The recorded conversations are not tested: set HOLDFAST_TRANSCRIPTS to their folder.');

/** Read once for all tests. */
const recorded = folder ? conversationsIn(folder) : [];

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
async function replay({ name, format, messages, requests, known }: Course, config: ConversationHistoryConfig) {
  const window = new ConversationWindow<Wire>(config, { dialect: dialectOf(format) });
  const { calibration } = window.state();
  const complaints: string[] = [];
  const floors: number[] = [];
  const max = {
    messages: config.max_messages || Number.POSITIVE_INFINITY,
    tokens: config.max_tokens ?? Number.POSITIVE_INFINITY,
  };
  for (const n of requests) {
    const history = messages.slice(0, n);
    const at = `${name} at ${n} within ${label(config)}`;
    try {
      const { messages: view, metrics } = await window.fit(history);
      deepFreeze(view);
      for (const { rule, index } of violationsOf(format, view, known)) complaints.push(`${at}: ${rule} at ${index}`);
      const tokens = recount(format, view, calibration);
      if (view.length > max.messages || tokens > max.tokens)
        complaints.push(`${at}: ${view.length} messages, ${tokens} tokens`);
      if (metrics.estimatedTokens !== tokens)
        complaints.push(`${at}: metrics say ${metrics.estimatedTokens} tokens, a recount ${tokens}`);
    } catch (error) {
      if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') throw new Error(at, { cause: error });
      floors.push((error.details as { floor: { tokens: number } }).floor.tokens);
      complaints.push(
        ...floorComplaints(error, max, lowestFloor(format, history, 0, calibration)).map((text) => `${at}: ${text}`),
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
  'as gemini': (conversation) => ({
    ...conversation,
    format: 'gemini',
    messages: toGemini(conversation.messages, conversation.format),
  }),
};

/** The courses of one form, which all its budgets need; two forms at once are not. */
let latest: { readonly form: string; readonly courses: readonly Course[] } = { form: '', courses: [] };

function coursesOf(form: string, convert: Convert): readonly Course[] {
  const chosen = sample(recorded, form === 'as recorded' ? 8 : 16);
  if (latest.form !== form) latest = { form, courses: chosen.map((one) => courseOf(deepFreeze(convert(one)))) };
  return latest.courses;
}

const RUNS = Object.entries(FORMS).flatMap(([form, convert]) =>
  BUDGETS.map((config) => ({ form, convert, config, budget: label(config) })),
);

test.skipIf(!folder).each(RUNS)(
  'recorded conversations, $form, stay valid and within $budget',
  async ({ form, convert, config, budget }) => {
    const complaints: string[] = [];
    const refusals: string[] = [];
    let refused = 0;
    for (const conversation of coursesOf(form, convert)) {
      const found = await replay(conversation, config);
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
    for (const { source, format, messages, usage } of recorded) {
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
