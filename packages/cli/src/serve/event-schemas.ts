import type { CrewEvent } from '@holdfast/crew';
import { z } from '@hono/zod-openapi';
import { CONTEXT, ERROR_CATEGORY, MESSAGE, type Out, RESULT, TOKENS } from './result-schemas.ts';

const agent = z.string();
const count = z.number().int();

/** A schema for each event of a stream, and for nothing else: a new event, or a new field, does not compile without one. */
export const EVENTS: { readonly [T in CrewEvent['type']]: z.ZodType<Out<Extract<CrewEvent, { type: T }>>> } = {
  'agent-start': z.object({ type: z.literal('agent-start'), agent, round: count, messages: count }),
  'text-delta': z.object({ type: z.literal('text-delta'), agent, text: z.string() }),
  'call-start': z.object({
    type: z.literal('call-start'),
    agent,
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
  }),
  'call-end': z.object({
    type: z.literal('call-end'),
    agent,
    id: z.string(),
    name: z.string(),
    failed: z.boolean(),
    exit_code: z.number().nullable().optional(),
    signal: z.string().optional(),
    timed_out: z.literal(true).optional(),
  }),
  'view-ready': CONTEXT.extend({ type: z.literal('view-ready'), agent }),
  'fold-end': z.object({ type: z.literal('fold-end'), agent, before: z.number(), after: z.number() }),
  'usage-report': z.object({ type: z.literal('usage-report'), agent, usage: TOKENS, cost: z.number().optional() }),
  'request-retry': z.object({
    type: z.literal('request-retry'),
    agent,
    category: ERROR_CATEGORY,
    wait_ms: z.number(),
  }),
  'agent-end': z.object({ type: z.literal('agent-end'), agent, output: z.string(), error: z.string().optional() }),
  'hand-off': z.object({
    type: z.literal('hand-off'),
    from: agent,
    to: z.string(),
    by: z.enum(['signal', 'tool', 'next']),
  }),
  'group-start': z.object({ type: z.literal('group-start'), group: z.string(), agents: z.array(agent) }),
  'group-end': z.object({ type: z.literal('group-end'), group: z.string(), failed: z.array(agent) }),
  'history-append': z.object({
    type: z.literal('history-append'),
    place: z.enum(['input', 'answer', 'tools', 'parallel', 'hand-off']),
    messages: z.array(MESSAGE),
    before: count,
    grown: count,
    after: count,
    tokens_pruned: z.number(),
  }),
  'limit-near': z.object({
    type: z.literal('limit-near'),
    what: z.enum(['history', 'context', 'cost']),
    agent: agent.optional(),
    used: z.number(),
    of: z.number(),
  }),
  result: z.object({ type: z.literal('result'), result: RESULT }),
};

/** `agent-start` is `AgentStartEvent` in the description. */
export function eventName(type: string): string {
  return `${type.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;
}
