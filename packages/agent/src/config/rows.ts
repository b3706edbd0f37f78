import type { ConversationHistoryConfig, StrategyName } from 'holdfast';
import { z } from 'zod';
import { mcpServersSchema } from '../tools/mcp/config.ts';
import { IGNORED } from '../tools/search/tree.ts';
import {
  type ExecutionConfig,
  type HoldfastConfig,
  PROVIDER_TYPES,
  type ProviderConfig,
  type SessionsConfig,
  type SkillsConfig,
  type ToolsConfig,
  type ValidationConfig,
} from './config.ts';
import { modelsSchema } from './models-schema.ts';
import { amount, type Row, type Rows, text, texts, time, truth, whole, word } from './row.ts';

const MOST = Number.MAX_SAFE_INTEGER;
/** Timers wait for 24 days at most, and not at all for more. */
const SECONDS = 2_000_000;
const MINUTES = 30_000;
const STRATEGIES = ['fold', 'sliding', 'governed', 'two-tier', 'rolling'] as const satisfies readonly StrategyName[];

const PROVIDER: Rows<ProviderConfig> = {
  type: word(PROVIDER_TYPES, {
    about: 'Who runs the model. `stand-in` is no model: a script for trying things out.',
    default: 'anthropic-api',
    variable: 'HOLDFAST_PROVIDER',
  }),
  model: text("a model's name", {
    about: 'The model, as its provider calls it.',
    otherwise: "the provider's own",
    example: 'claude-opus-5-5',
    variable: 'HOLDFAST_MODEL',
  }),
  base_url: {
    schema: z.url({ protocol: /^https?$/ }),
    takes: 'an address that begins with http:// or https://',
    about: "Any server that speaks the provider's API.",
    otherwise: "the maker's own",
    example: 'http://localhost:8000/v1',
    variable: 'HOLDFAST_BASE_URL',
  },
  api: word(['chat', 'responses'], {
    about: "For `openai-api`: which of OpenAI's APIs. Most other servers speak only `chat`.",
    default: 'chat',
  }),
  max_output: whole(1, MOST, {
    about: 'Most tokens of one answer.',
    otherwise: '32000, or less where the model has less',
    example: 32_000,
  }),
  thinking: truth({
    about: 'Whether the model thinks.',
    otherwise: 'as it does by itself',
    example: true,
  }),
  program: text('the name or the path of a program', {
    about: 'For `claude-cli` and `cursor-cli`: the program to run.',
    otherwise: '`claude`, `cursor-agent`',
    example: 'claude',
  }),
  args: texts('a list of arguments', {
    about: 'For `claude-cli` and `cursor-cli`: more arguments for the program.',
    default: [],
  }),
  calls: whole(1, 100_000, { about: 'For `stand-in`: how many tool calls its script makes.', default: 120 }),
  edits: truth({ about: 'For `stand-in`: whether its script may edit files and run commands.', default: false }),
};

const EXECUTION: Rows<Omit<ExecutionConfig, 'conversation' | 'max_conversation_messages'>> = {
  max_iterations: whole(1, 100_000, { about: 'Iterations before the run stops.', default: 50 }),
  max_consecutive_failures: whole(1, 1_000, {
    about: 'Iterations in a row that fail, or do nothing, before the run gives up.',
    default: 3,
  }),
  timeout_per_iteration: time('from 0', SECONDS, { about: 'Seconds for one iteration; 0 = no limit.', default: 0 }),
  max_minutes: time('from 0', MINUTES, {
    about: 'Minutes for the whole run, and of answers in a chat; 0 = no limit. Not given, a chat in a pipe has 60.',
    default: 0,
  }),
  max_cost: amount({
    about: 'Dollars for the whole run, and for a chat; 0 = no limit. Not given, a chat in a pipe has 10.',
    default: 0,
  }),
  max_rounds: whole(0, MOST, {
    about: 'Requests for one prompt of a chat, of which each may call tools; 0 = no limit.',
    default: 200, // no measurement supports it: long answers of coding agents have some dozens
  }),
  agents_file: text('the path of a file in the workspace', {
    about: 'The file with rules for agents, in the workspace. What it says is pinned.',
    default: 'AGENTS.md',
  }),
  role: text('the name of a role, or a path', {
    about: 'The role that the model takes on: a name in `.ai/roles`, or a path.',
    otherwise: 'the one that the task suggests',
    example: 'developer',
  }),
};

const CONVERSATION: Rows<Omit<ConversationHistoryConfig, 'max_conversation_messages'>> = {
  max_messages: whole(0, MOST, {
    about: 'A fold is due above this many messages; 0 = no limit.',
    otherwise: "100, or the strategy's own",
    example: 100,
  }),
  max_tokens: whole(0, MOST, {
    about: 'A fold is due above this many tokens, `reserve` included; 0 = no limit but `limit`.',
    otherwise: '`limit`',
    example: 120_000,
  }),
  limit: whole(0, MOST, {
    about: "The model's real window, less the answer; never more than the model has.",
    otherwise: 'by the model',
    example: 168_000,
  }),
  reserve: whole(0, MOST, {
    about: 'Tokens outside the messages: system prompt, tool schemas.',
    otherwise: 'by their length, then by what the API reports',
    example: 8_000,
  }),
  target: {
    schema: z.number().gt(0).max(1),
    takes: 'a share above 0, up to 1',
    about: 'Share of the maximum that a fold goes down to.',
    otherwise: "the strategy's own, by measurement",
    example: 0.5,
  },
  preserve_first_n: whole(0, MOST, {
    about: 'Messages at the start that are always kept.',
    otherwise: "1, or the strategy's own",
    example: 1,
  }),
  preserve_last_n: whole(0, MOST, {
    about: 'Messages at the end that are kept as far as the target of tokens allows.',
    otherwise: "20, or the strategy's own; with `fold` alone, a third of `max_messages` where that is less",
    example: 20,
  }),
  strategy: {
    schema: z.union([z.enum(STRATEGIES), z.array(z.enum(STRATEGIES)).min(1)]),
    takes: `one of ${STRATEGIES.join(', ')}, or a list of them`,
    words: STRATEGIES,
    about: 'When a fold is due and what it takes out. In a list, the severest verdict wins.',
    otherwise: '`fold`',
    example: 'fold',
  },
  tool_output_trim_chars: whole(0, MOST, {
    about: 'In `governed`: older tool results are cut to this many characters; 0 = not at all.',
    otherwise: '2000',
    example: 2_000,
  }),
  max_history_messages: whole(0, MOST, {
    about: 'In `governed`: `max_messages`, where that is not given; 0 = no limit.',
    otherwise: '40',
    example: 40,
  }),
  tier_thresholds: {
    schema: z.tuple([z.int().min(1), z.int().min(1)]).refine(([low, high]) => low <= high),
    takes: 'two whole numbers from 1 on, the smaller first',
    about: 'In `two-tier`: tokens above which the view is folded, and above which the history is summed up.',
    otherwise: '[80000, 120000]',
    example: [80_000, 120_000],
  },
  summarize_on_trim: truth({
    about: 'A model sums up what folds take out. Otherwise a digest speaks for it, which costs nothing.',
    otherwise: 'false; `two-tier` asks above its second threshold',
    example: false,
  }),
  summarization_model: text("a model's name", {
    about: 'The model that writes the summaries.',
    otherwise: '`provider.model`',
    example: 'claude-haiku-5-5',
  }),
  summary_max_tokens: whole(1, MOST, {
    about: 'Longest summary, in tokens.',
    otherwise: '1024; 2000 in `two-tier`',
    example: 1_024,
  }),
  summary_timeout_ms: whole(0, 1_000 * SECONDS, {
    about: 'Milliseconds that a fold waits for a summary; 0 = as long as it takes.',
    otherwise: '60000',
    example: 60_000,
  }),
  repair: truth({
    about: 'A broken history is made valid instead of refused.',
    otherwise: 'false',
    example: false,
  }),
};

const VALIDATION: Rows<ValidationConfig> = {
  commands: texts('a list of commands', {
    about: 'Commands to be run after each iteration; all must succeed before a task is complete.',
    default: [],
  }),
  timeout: time('above 0', SECONDS, { about: 'Seconds for each of them.', default: 300 }),
};

const SKILLS: Rows<SkillsConfig> = {
  enabled: truth({ about: 'Whether skills are offered to the model.', default: true }),
  directories: texts('a list of folders', { about: 'Folders with skills, beside `.ai/skills`.', default: [] }),
  use: texts('a list of names', {
    about: 'The skills to use.',
    otherwise: 'all that are found',
    example: ['testing'],
  }),
};

const TOOLS: Rows<ToolsConfig> = {
  allowed_commands: texts('a list of commands, such as npm test or npx vitest *', {
    about: 'Commands that may be run.',
    otherwise: 'all',
    example: ['npm test', 'npx vitest *'],
  }),
  revert_outside_scope: {
    schema: z.union([z.boolean(), z.literal('forbidden')]),
    takes: 'true, false or forbidden',
    about: "What is put back of all that a command changed outside of the task's scope; the rest is only told.",
    default: 'forbidden',
  },
  ignored: texts('a list of names of folders', {
    about: 'Folders that are left out of lists and searches.',
    default: IGNORED,
  }),
  max_output_chars: whole(1_000, MOST, {
    about: 'Most characters of a tool result; the rest stays behind a handle.',
    default: 20_000,
  }),
  timeout: time('above 0', SECONDS, { about: 'Seconds for a command or a call to an MCP server.', default: 120 }),
  pass_env: texts('a list of names of variables', {
    about: 'Variables that commands get although they look like keys.',
    default: [],
  }),
};

const SESSIONS: Rows<SessionsConfig> = {
  store: text('the path of a file, or postgres://…', {
    about: 'Where sessions are kept. A password belongs in `HOLDFAST_STORE` or `PGPASSWORD`, never in a file.',
    otherwise: '`sessions.db` in `HOLDFAST_HOME`',
    example: 'postgres://localhost/holdfast',
    variable: 'HOLDFAST_STORE',
    password_in_variable: true,
  }),
  mask_keys: truth({
    about: 'Mask what looks like a key before it is written to a session; the model sees the mask, too.',
    default: false,
  }),
};

/** All keys, by section, in the order in which they are shown. */
export const TREE = {
  provider: PROVIDER,
  execution: { ...EXECUTION, conversation: CONVERSATION },
  validation: VALIDATION,
  skills: SKILLS,
  tools: TOOLS,
  sessions: SESSIONS,
  mcp_servers: {
    schema: mcpServersSchema,
    takes: 'a map of servers by name, each { command, args?, env? } or { url, headers? }',
    about: `MCP servers whose tools are offered too. "\${NAME}" in env and headers stands for a variable.`,
    default: {},
  } satisfies Row<HoldfastConfig['mcp_servers']>,
  models: {
    schema: modelsSchema,
    takes: 'a map of models by id',
    about: 'What you know better of models than the table: windows, prices, thinking.',
    default: {},
  } satisfies Row<HoldfastConfig['models']>,
} satisfies Readonly<Record<keyof HoldfastConfig, unknown>>;
