import type { ContextUse, CrewMessage, CrewResult, NextTurn } from '@holdfast/crew';
import type { SessionInfo } from '@holdfast/sessions';
import { z } from '@hono/zod-openapi';
import type { ProblemBody } from './problem.ts';

/** What a schema for T gives: where a key may be missing, zod says that it may be undefined as well. */
export type Out<T> = T extends readonly (infer One)[]
  ? readonly Out<One>[]
  : T extends object
    ? { readonly [K in keyof T]: Out<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

/** JSON has no Infinity. */
const BOUND = z.number().nullable().openapi({ description: 'null: no bound' }) as unknown as z.ZodType<number>;

export const TOKENS = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});

export const CONTEXT = z.object({
  messages: z.number(),
  tokens: z.number(),
  estimated: z.boolean(),
  max: z.object({ messages: BOUND, tokens: BOUND }),
} satisfies { readonly [K in keyof ContextUse]: z.ZodType });

export const ERROR_CATEGORY = z.enum([
  'rate_limit',
  'overloaded',
  'network',
  'auth',
  'invalid_request',
  'context_overflow',
  'timeout',
  'cancelled',
  'unknown',
]);

const call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const name = z.string().optional();

/** A message that goes out: what comes in has limits, too. */
export const MESSAGE: z.ZodType<Out<CrewMessage>> = z
  .discriminatedUnion('role', [
    z.object({ role: z.enum(['user', 'system']), content: z.string(), name }),
    z.object({ role: z.literal('assistant'), content: z.string(), name, tool_calls: z.array(call).optional() }),
    z.object({ role: z.literal('tool'), content: z.string(), tool_call_id: z.string() }),
  ])
  .openapi('HistoryMessage');

const usage = z.object({
  rounds: z.number(),
  requests: z.number(),
  calls: z.number(),
  folds: z.number(),
  tokens: TOKENS,
  tokens_saved: z.number(),
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
  rounds: z.number(),
  hand_offs: z.number(),
  pruned: z.number(),
  elapsed_ms: z.number(),
  usage: z.object({ agents: z.record(z.string(), usage.extend({ context: CONTEXT.optional() })), crew: usage }),
});

export const RESULT: z.ZodType<Out<CrewResult>> = result.openapi('CrewResult');

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
  created: z.number(),
  updated: z.number(),
  last: z.number(),
  hash: z.string(),
  messages: z.number(),
  folds: z.number(),
  bytes: z.number(),
  tokens: z.number(),
  cost: z.number(),
  provider: z.string().optional(),
  model: z.string().optional(),
  dialect: z.string().optional(),
} satisfies { readonly [K in keyof SessionInfo]: z.ZodType });

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
    limits: z.object({
      max_hand_offs: z.number(),
      max_rounds: z.number(),
      max_seconds: z.number(),
      max_cost: z.number(),
    }),
    max_messages_per_request: z.number(),
  })
  .openapi('Crew');
