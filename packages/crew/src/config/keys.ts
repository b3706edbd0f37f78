import { type Row, rowKinds, TREE } from '@holdfast/agent/config';
import { STRATEGY_NAMES } from 'holdfast';
import { z } from 'zod';
import type { Shape } from './shape.ts';

const { text, texts, time, truth, whole, word } = rowKinds;
const MOST = Number.MAX_SAFE_INTEGER;
const SECONDS = 2_000_000;

const value = (row: Row): Shape => ({ type: 'value', row });
const must = (row: Row): Shape => ({ type: 'value', row, must: true });
const section = (keys: Readonly<Record<string, Shape>>): Shape => ({ type: 'section', keys });

/** Rows without their defaults: a key that is not given falls through to the crew's, then to the provider's. */
const open = (rows: Readonly<Record<string, Row>>): Shape =>
  section(Object.fromEntries(Object.entries(rows).map(([key, { default: _, ...row }]) => [key, value(row)])));

const filled = z.string().regex(/\S/, 'a non-empty text');

const words = (takes: string, about: string): Row<Record<string, string>> => ({
  schema: z.record(filled, filled),
  takes,
  about,
  default: {},
});

const PROVIDER = open(TREE.provider);
const CONVERSATION = open(TREE.execution.conversation);

const AGENT: Shape = section({
  role: must(text("the agent's system prompt", { about: 'The system prompt.' })),
  about: value(text('a line for the other agents', { about: 'Its description for the other agents.' })),
  model: value(text("a model's name", { about: "The provider's name for the model." })),
  provider: PROVIDER,
  tools: value(texts('a list of tool names', { about: 'Tools that it may use.', default: [] })),
  max_messages_per_request: value(whole(1, MOST, { about: 'Maximum messages in its own window.' })),
  conversation: CONVERSATION,
  hand_offs: value(
    texts('a list of agents and groups', { about: 'Agents and groups that it may hand over to.', default: [] }),
  ),
  signals: value(words('a map from signals to agents', 'More signals, each with its target.')),
  next: value(text('the name of an agent or a group', { about: 'Who acts next if its answer has no signal.' })),
  terminal: value(truth({ about: "Its answer is the crew's answer.", default: false })),
  pause: value(truth({ about: 'Without a signal, its answer is a question to the user.', default: false })),
});

const GROUP: Shape = section({
  agents: must({
    schema: z.array(z.string().regex(/\S/)),
    takes: 'a list of agents',
    about: 'Agents that work in parallel.',
  }),
  join: must(text('the name of an agent', { about: 'The agent that gets their answers.' })),
  max_seconds: value(
    time('from 0', SECONDS, { about: 'Time limit for the group, in seconds; 0 = no limit.', default: 0 }),
  ),
  about: value(text('a line for the agents', { about: 'Its description for agents.' })),
});

const TOOL: Shape = section({
  about: must(text('a line for the model', { about: 'What it does, for the model.' })),
  command: must({
    schema: z.array(z.string()).min(1),
    takes: 'a list: a program and its arguments, such as [df, -h, "{path}"]',
    about: 'The program and its arguments. No shell parses them, unless the program is one.',
  }),
  arguments: value(words('a map from names to descriptions', 'The arguments of a call.')),
  timeout: value(time('above 0', SECONDS, { about: 'Time limit for one call, in seconds.', default: 30 })),
});

/** All keys of `crew.yml`. Of the limits, only `max_messages_per_request` is supported by a measurement (docs/crew.md). */
export const CREW: Shape = section({
  entry: must(text('the name of an agent', { about: 'The agent that gets the user input.' })),
  max_messages_per_request: value(
    whole(1, MOST, { about: "Maximum messages of the crew's history in a request.", default: 50 }),
  ),
  strategy: value(word(STRATEGY_NAMES, { about: 'How the history is kept within that limit.', default: 'rolling' })),
  limits: section({
    max_hand_offs: value(whole(0, 100_000, { about: 'Maximum hand-offs in one request.', default: 10 })),
    max_rounds: value(whole(1, 100_000, { about: 'Maximum turns of all agents in one request.', default: 30 })),
    max_seconds: value(time('above 0', SECONDS, { about: 'Time limit for one request, in seconds.', default: 300 })),
    max_cost: value(TREE.execution.max_cost),
  }),
  provider: PROVIDER,
  conversation: CONVERSATION,
  tools: { type: 'named', each: TOOL, what: 'tool' },
  mcp_servers: value(TREE.mcp_servers),
  agents: { type: 'named', each: AGENT, what: 'agent', must: true },
  groups: { type: 'named', each: GROUP, what: 'group' },
});
