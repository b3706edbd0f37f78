import { ERROR_CATEGORIES } from '@holdfast/agent';
import type { AgentContext, CrewEvent, CrewMessage, CrewResult, NextTurn } from '@holdfast/crew';
import type { SessionInfo } from '@holdfast/sessions';
import { z } from '@hono/zod-openapi';
import type { CarriedNote } from 'holdfast/restore';
import type { ProblemBody } from '../guard/problem.ts';
import { CARRIED } from './input-schemas.ts';

/** The output type of a schema for T: zod makes optional keys also accept undefined. */
type Out<T> = T extends readonly (infer One)[]
  ? readonly Out<One>[]
  : T extends object
    ? { readonly [K in keyof T]: Out<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

/** JSON has no Infinity. */
const BOUND = z.number().nullable().openapi({ description: 'null: no limit' }) as unknown as z.ZodType<number>;

/** A number for each key. */
function numbers<K extends string>(...keys: readonly K[]) {
  return Object.fromEntries(keys.map((key) => [key, z.number()])) as Record<K, z.ZodNumber>;
}

const TOKENS = z.object(numbers('inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'));

const CONTEXT = z.object({
  ...numbers('messages', 'tokens'),
  estimated: z.boolean(),
  max: z.object({ messages: BOUND, tokens: BOUND }),
} satisfies { readonly [K in keyof AgentContext]: z.ZodType });

const ERROR_CATEGORY = z.enum(ERROR_CATEGORIES);

const call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const name = z.string().optional();
const holdfast = z.custom<CarriedNote>().optional().openapi({ type: 'object', description: CARRIED });

/** A message in a result; messages in requests have limits as well. */
export const MESSAGE: z.ZodType<Out<CrewMessage>> = z
  .discriminatedUnion('role', [
    z.object({ role: z.enum(['user', 'system']), content: z.string(), name, holdfast }),
    z.object({
      role: z.literal('assistant'),
      content: z.string(),
      name,
      tool_calls: z.array(call).optional(),
      holdfast,
    }),
    z.object({ role: z.literal('tool'), content: z.string(), tool_call_id: z.string() }),
  ])
  .openapi('HistoryMessage');

const usage = z.object({
  ...numbers('rounds', 'requests', 'calls', 'folds', 'tokensSaved'),
  tokens: TOKENS,
  cost: z.number().optional(),
  everything: z.number().optional(),
});

const result = z.object({
  status: z.enum(['complete', 'paused', 'stopped', 'failed', 'cancelled']),
  output: z.string(),
  agent: z.string().optional(),
  reason: z.string().optional(),
  limit: z.enum(['hand_offs', 'rounds', 'time', 'cost']).optional(),
  errorCategory: ERROR_CATEGORY.optional(),
  history: z.array(MESSAGE),
  ...numbers('rounds', 'handOffs', 'pruned', 'elapsedMs'),
  usage: z.object({ agents: z.record(z.string(), usage.extend({ context: CONTEXT.optional() })), crew: usage }),
});

const RESULT: z.ZodType<Out<CrewResult>> = result.openapi('CrewResult');

/** The answer of `/api/crew`. */
export const ANSWER = result.extend({ session: z.string().optional() }).openapi('CrewAnswer');

export const PROBLEM: z.ZodType<Out<ProblemBody>> = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    errors: z.array(z.object({ field: z.string(), detail: z.string() })).optional(),
  })
  .openapi('Problem');

const info = z.object({
  id: z.string(),
  title: z.string(),
  hash: z.string(),
  ...numbers('created', 'updated', 'last', 'messages', 'folds', 'bytes', 'tokens', 'cost'),
  provider: z.string().optional(),
  model: z.string().optional(),
  dialect: z.string().optional(),
  kind: z.enum(['run', 'crew', 'proxy', 'integration']).optional(),
} satisfies { readonly [K in keyof SessionInfo]-?: z.ZodType });

export const SESSION = info.openapi('Session');

const turn: z.ZodType<Out<NextTurn>> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent'), agent: z.string(), by: z.enum(['signal', 'next', 'join']).optional() }),
  z.object({ type: z.literal('group'), group: z.string(), by: z.enum(['signal', 'next']).optional() }),
  z.object({ type: z.literal('end'), agent: z.string().optional() }),
  z.object({ type: z.literal('pause'), agent: z.string() }),
]);

export const SESSION_AND_TURN = info.extend({ turn }).openapi('SessionAndTurn');

/** The answer of `GET /api/crew`. */
export const CREW = z
  .object({
    entry: z.string(),
    agents: z.array(
      z.object({
        name: z.string(),
        about: z.string().optional(),
        model: z.string().optional(),
        terminal: z.boolean(),
        pause: z.boolean(),
      }),
    ),
    groups: z.array(z.string()),
    limits: z.object(numbers('max_hand_offs', 'max_rounds', 'max_seconds', 'max_cost')),
    max_messages_per_request: z.number(),
  })
  .openapi('Crew');

const agent = z.string();
const count = z.number().int();

function event<T extends CrewEvent['type'], S extends z.ZodRawShape>(type: T, shape: S) {
  return z.object({ type: z.literal(type), ...shape });
}

/** One schema for each event of a stream: a new event, or a new field, does not compile without one. */
export const EVENTS: { readonly [T in CrewEvent['type']]: z.ZodType<Out<Extract<CrewEvent, { type: T }>>> } = {
  'agent-start': event('agent-start', { agent, round: count, messages: count }),
  'text-delta': event('text-delta', { agent, text: z.string() }),
  'call-start': event('call-start', { agent, id: z.string(), name: z.string(), input: z.unknown() }),
  'call-end': event('call-end', {
    agent,
    id: z.string(),
    name: z.string(),
    failed: z.boolean(),
    exitCode: z.number().nullable().optional(),
    signal: z.string().optional(),
    timedOut: z.literal(true).optional(),
  }),
  'view-ready': CONTEXT.extend({ type: z.literal('view-ready'), agent }),
  'fold-end': event('fold-end', { agent, before: z.number(), after: z.number() }),
  'reminder-add': event('reminder-add', {
    agent,
    about: z.array(z.string()),
    handles: z.array(z.string()),
    tokens: z.number(),
  }),
  'usage-report': event('usage-report', { agent, usage: TOKENS, cost: z.number().optional() }),
  'request-retry': event('request-retry', {
    agent,
    category: ERROR_CATEGORY,
    waitMs: z.number(),
    message: z.string().optional(),
    attempt: z.number().optional(),
    attempts: z.number().optional(),
  }),
  'agent-end': event('agent-end', { agent, output: z.string(), error: z.string().optional() }),
  'hand-off': event('hand-off', { from: agent, to: z.string(), by: z.enum(['signal', 'tool', 'next']) }),
  'group-start': event('group-start', { group: z.string(), agents: z.array(agent) }),
  'group-end': event('group-end', { group: z.string(), failed: z.array(agent) }),
  'history-append': event('history-append', {
    place: z.enum(['input', 'answer', 'tools', 'parallel', 'hand-off']),
    messages: z.array(MESSAGE),
    before: count,
    grown: count,
    after: count,
    tokensPruned: z.number(),
  }),
  'limit-near': event('limit-near', {
    what: z.enum(['history', 'context', 'cost']),
    agent: agent.optional(),
    used: z.number(),
    of: z.number(),
  }),
  result: event('result', { result: RESULT }),
};

/** `AgentStartEvent` for `agent-start`. Pure. */
export function eventName(type: string): string {
  return `${type.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;
}
