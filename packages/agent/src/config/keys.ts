import { budgetProblem, type ModelOverrides, USEFUL_BUDGET } from '@holdfast/models';
import { type ConversationHistoryConfig, PREFERENCES, STRATEGY_NAMES } from 'holdfast';
import { z } from 'zod';
import type { SharedSettings } from '../providers/definition.ts';
import { DEFAULT_PROVIDER, OWN_ROWS, PROVIDER_TYPES, PROVIDERS } from '../providers/index.ts';
import { mcpServersSchema } from '../tools/mcp/config.ts';
import { IGNORED } from '../tools/search/tree.ts';
import type { HoldfastConfig } from './config.ts';
import { modelProblem } from './read-models.ts';
import { amount, type Row, type Rows, text, texts, time, truth, url, whole, word } from './row.ts';

const MOST = Number.MAX_SAFE_INTEGER;
/** Node timers wait at most 24 days; a longer one fires immediately. */
const SECONDS = 2_000_000;
const MINUTES = 30_000;

/** Checks `models` as `readModels` does: reports the first problem of each model, with its path. */
const MODELS: z.ZodType<ModelOverrides> = z.record(z.string(), z.unknown()).transform((data, context) => {
  for (const [id, row] of Object.entries(data)) {
    const { text, path = [] } = modelProblem(row) ?? {};
    if (text) context.issues.push({ code: 'custom', message: text, path: [id, ...path], input: row });
  }
  return data as ModelOverrides;
});

const SHARED_PROVIDER: Rows<SharedSettings> = {
  model: text('a model name', {
    about: 'The model, by the name its provider uses.',
    otherwise: 'chosen by the provider',
    example: PROVIDERS[0]?.defaultModel ?? '',
    variable: 'HOLDFAST_MODEL',
  }),
  base_url: url({
    about: "The URL of any server that speaks the provider's API.",
    otherwise: "the vendor's own API",
    example: 'http://localhost:8000/v1',
    variable: 'HOLDFAST_BASE_URL',
  }),
  max_output: whole(1, MOST, {
    about: 'Maximum tokens in one answer.',
    otherwise: "32000, or the model's maximum if that is lower",
    example: 32_000,
  }),
  thinking: truth({
    about: 'Whether the model thinks before it answers.',
    otherwise: 'chosen by the provider',
    example: true,
  }),
};

const SCRIPTS = PROVIDERS.flatMap(({ type, isScript }) => (isScript ? `\`${type}\`` : [])).join(', ');

const PROVIDER = {
  type: word(PROVIDER_TYPES, {
    about: `Which provider runs the model. ${SCRIPTS} is a local script, not a model, for trying things out.`,
    default: DEFAULT_PROVIDER,
    variable: 'HOLDFAST_PROVIDER',
  }),
  ...SHARED_PROVIDER,
  ...OWN_ROWS,
};

export const EXECUTION = {
  max_iterations: whole(1, 100_000, { about: 'Maximum number of iterations in a run.', default: 50 }),
  max_consecutive_failures: whole(1, 1_000, {
    about: 'Give up after this many iterations in a row that fail or do nothing.',
    default: 3,
  }),
  timeout_per_iteration: time('from 0', SECONDS, {
    about: 'Time limit for one iteration, in seconds; 0 = no limit.',
    default: 0,
  }),
  max_minutes: time('from 0', MINUTES, {
    about:
      'Time limit for a run, or for all answers in a chat, in minutes; 0 = no limit. If unset, a piped chat gets 60.',
    default: 0,
  }),
  max_cost: amount({
    about: 'Spending limit for a run or a chat, in dollars; 0 = no limit. If unset, a piped chat gets 10.',
    default: 0,
  }),
  max_rounds: whole(0, MOST, {
    about: 'Maximum model requests for one chat prompt, each of which may call tools; 0 = no limit.',
    default: 200, // not measured; long answers of coding agents take a few dozen
  }),
  agents_file: text('the path of a file in the workspace', {
    about: 'The workspace file with rules for agents. It is pinned: it stays in every request.',
    default: 'AGENTS.md',
  }),
  role: text('a role name or a path', {
    about: 'The role the model takes on: a name in `.ai/roles`, or a path.',
    otherwise: 'the role that the task suggests',
    example: 'developer',
  }),
};

const CONVERSATION: Rows<Omit<ConversationHistoryConfig, 'max_conversation_messages'>> = {
  max_messages: whole(0, MOST, {
    about: 'Fold (compact) when the view exceeds this many messages; 0 = no limit.',
    otherwise: 'no limit; 100 in `sliding` without `max_tokens`, 50 in `rolling`',
    example: 100,
  }),
  max_tokens: {
    schema: z.int().refine((tokens) => tokens === 0 || budgetProblem(tokens) === undefined),
    takes: `0, or ${USEFUL_BUDGET}`,
    about: 'Fold when the view exceeds this many tokens, including `reserve`; 0 = only `limit` applies.',
    otherwise: 'with `fold`, a default for the model, shown by `holdfast config`; otherwise `limit`',
    example: 120_000,
  },
  limit: whole(0, MOST, {
    about: "The model's context window minus room for the answer; capped at what the model has.",
    otherwise: 'depends on the model',
    example: 168_000,
  }),
  reserve: whole(0, MOST, {
    about: 'Tokens sent outside the messages: system prompt and tool schemas.',
    otherwise: 'estimated, then learned from what the API reports',
    example: 8_000,
  }),
  target: {
    schema: z.number().gt(0).max(1),
    takes: 'a fraction above 0, up to 1',
    about: 'The size a fold shrinks the view to, as a fraction of the maximum.',
    otherwise: "the strategy's own, chosen by measurement",
    example: 0.5,
  },
  preserve_first_n: whole(0, MOST, {
    about: 'How many messages at the start are always kept. System and developer messages do not count.',
    otherwise: "1, or the strategy's own",
    example: 1,
  }),
  preserve_last_n: whole(0, MOST, {
    about: 'How many messages at the end are kept, as far as the token target allows.',
    otherwise: "20, or the strategy's own; with `fold` alone, at most a third of `max_messages`",
    example: 20,
  }),
  strategy: {
    schema: z.union([z.enum(STRATEGY_NAMES), z.array(z.enum(STRATEGY_NAMES)).min(1)]),
    takes: `one of ${STRATEGY_NAMES.join(', ')}, or a list of them`,
    words: STRATEGY_NAMES,
    about: 'When to fold and what to remove. If you list several, the most severe verdict wins.',
    otherwise: '`fold`',
    example: 'fold',
  },
  prefer: word(PREFERENCES, {
    about: 'What `fold` weighs more: `price` folds furthest, `memory` folds only when the budget is nearly used up.',
    otherwise: '`balance`',
    example: 'balance',
  }),
  tool_output_trim_chars: whole(0, MOST, {
    about: 'For `governed`: truncate older tool results to this many characters; 0 = never.',
    otherwise: '2000',
    example: 2_000,
  }),
  max_history_messages: whole(0, MOST, {
    about: 'For `governed`: replaces `max_messages` if that is not set; 0 = no limit.',
    otherwise: '40',
    example: 40,
  }),
  tier_thresholds: {
    schema: z.tuple([z.int().min(1), z.int().min(1)]).refine(([low, high]) => low <= high),
    takes: 'two whole numbers, 1 or more, the smaller first',
    about: 'For `two-tier`: fold the view above the first number of tokens, summarize the history above the second.',
    otherwise: '[80000, 120000]',
    example: [80_000, 120_000],
  },
  summarize_on_trim: truth({
    about: 'Let a model summarize what folds remove. Otherwise a digest is built without a model, at no cost.',
    otherwise: 'false; `two-tier` summarizes above its second threshold',
    example: false,
  }),
  summarization_model: text('a model name', {
    about: 'The model that writes the summaries, of the same provider.',
    otherwise: '`provider.model`',
    example: 'claude-haiku-5-5',
  }),
  summary_max_tokens: whole(1, MOST, {
    about: 'Maximum length of a summary, in tokens.',
    otherwise: '1024; 2000 in `two-tier`',
    example: 1_024,
  }),
  summary_timeout_ms: whole(0, 1_000 * SECONDS, {
    about: 'How long a fold waits for a summary, in milliseconds; 0 = no limit.',
    otherwise: '60000',
    example: 60_000,
  }),
  repair: truth({
    about: 'Repair a broken history instead of rejecting it.',
    otherwise: 'false',
    example: false,
  }),
  reminders: truth({
    about: 'Repeat folded lines at the end of the view when the newest messages are about them.',
    otherwise: 'true',
    example: true,
  }),
};

export const VALIDATION = {
  commands: texts('a list of commands', {
    about: 'Commands to run after each iteration. All must succeed before the task is complete.',
    default: [],
  }),
  timeout: time('above 0', SECONDS, { about: 'Time limit for each command, in seconds.', default: 300 }),
};

export const SKILLS = {
  enabled: truth({ about: 'Whether to offer skills to the model.', default: true }),
  directories: texts('a list of folders', { about: 'Folders with skills, in addition to `.ai/skills`.', default: [] }),
  use: texts('a list of names', {
    about: 'The skills to use.',
    otherwise: 'all skills found',
    example: ['testing'],
  }),
};

export const TOOLS = {
  allowed_commands: texts('a list of commands, such as npm test or npx vitest *', {
    about: 'Commands the model may run.',
    otherwise: 'all',
    example: ['npm test', 'npx vitest *'],
  }),
  revert_outside_scope: {
    schema: z.union([z.boolean(), z.literal('forbidden')]),
    takes: 'true, false or forbidden',
    about:
      "Which changes a command made outside the task's scope are reverted: all, none, or those to Forbidden files. The rest are only reported.",
    default: 'forbidden',
  },
  ignored: texts('a list of folder names', {
    about: 'Folders left out of file lists and searches.',
    default: IGNORED,
  }),
  max_output_chars: whole(1_000, MOST, {
    about: 'Maximum characters of a tool result; the rest is stored behind a handle.',
    default: 20_000,
  }),
  timeout: time('above 0', SECONDS, { about: 'Time limit for a command or an MCP call, in seconds.', default: 120 }),
  pass_env: texts('a list of variable names', {
    about: 'Environment variables passed to commands even though they look like keys.',
    default: [],
  }),
};

export const SESSIONS = {
  store: text('a file path, or postgres://…', {
    about: 'Where sessions are stored. Put a password in `HOLDFAST_STORE` or `PGPASSWORD`, never in a file.',
    otherwise: '`sessions.db` in `HOLDFAST_HOME`',
    example: 'postgres://localhost/holdfast',
    variable: 'HOLDFAST_STORE',
    passwordInVariable: true,
  }),
  mask_keys: truth({
    about: 'Mask anything that looks like a key before it is written to a session. The model sees the mask too.',
    default: false,
  }),
};

const upstream = (vendor: string, example: string) =>
  url({
    about: `Where \`holdfast proxy\` sends requests for ${vendor}'s API. Read only from your own configuration.`,
    otherwise: "the vendor's own API",
    example,
  });

export const PROXY = {
  anthropic: upstream('Anthropic', 'https://api.anthropic.com'),
  openai: upstream('OpenAI', 'https://api.openai.com'),
  gemini: upstream('Google', 'https://generativelanguage.googleapis.com'),
};

/** All keys by section, in display order. */
export const TREE = {
  provider: PROVIDER,
  execution: { ...EXECUTION, conversation: CONVERSATION },
  validation: VALIDATION,
  skills: SKILLS,
  tools: TOOLS,
  sessions: SESSIONS,
  proxy: PROXY,
  mcp_servers: {
    schema: mcpServersSchema,
    takes: 'a map of servers by name, each { command, args?, env? } or { url, headers? }',
    about: `MCP servers whose tools the model may use. "\${NAME}" in env and headers is replaced by that variable.`,
    default: {},
  } satisfies Row<HoldfastConfig['mcp_servers']>,
  models: {
    schema: MODELS,
    takes: 'a map of models by id',
    about: 'Corrections and additions to the model table: windows, prices, thinking.',
    default: {},
  } satisfies Row<HoldfastConfig['models']>,
} satisfies Readonly<Record<keyof HoldfastConfig, unknown>>;
