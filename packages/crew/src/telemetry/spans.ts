import type { Attributes, Span } from '@opentelemetry/api';
import type { CrewEvent } from '../events.ts';
import { namesOf } from './common-js.ts';

/** The model of an agent. */
export type ModelOf = (agent: string) => { readonly model: string; readonly provider: string };

/** Loaded once; undefined if it is not installed, and then there is no SDK either. */
let opentelemetry: Promise<typeof import('@opentelemetry/api') | undefined> | undefined;

/**
 * Turns the events of one request into spans by the GenAI conventions: the request (`invoke_workflow`), each turn (`invoke_agent`), each request to a model
 * (`chat`) and each tool call (`execute_tool`), without conversation text. Undefined without @opentelemetry/api; without an
 * OpenTelemetry SDK, spans go nowhere.
 */
export async function createCrewSpans(workflow: string, modelOf: ModelOf) {
  opentelemetry ??= import('@opentelemetry/api').then(namesOf, () => undefined);
  const api = await opentelemetry;
  if (!api) return undefined;
  const { context, SpanKind, SpanStatusCode, trace } = api;
  const tracer = trace.getTracer('@holdfast/crew');
  const open = new Map<string, Span>();
  const start = (key: string, operation: string, name: string, more: Attributes, above = '') => {
    const parent = open.get(above);
    const around = parent ? trace.setSpan(context.active(), parent) : context.active();
    const kind = operation === 'chat' ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const attributes = { 'gen_ai.operation.name': operation, ...more };
    open.set(key, tracer.startSpan(`${operation} ${name}`, { kind, attributes }, around));
  };
  const end = (key: string, attributes: Attributes = {}, failed?: string) => {
    const span = open.get(key)?.setAttributes(attributes);
    if (failed !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', failed);
    span?.end();
    open.delete(key);
  };
  start('crew', 'invoke_workflow', workflow, { 'gen_ai.workflow.name': workflow });
  return {
    observe(event: CrewEvent) {
      switch (event.type) {
        case 'agent-start': {
          const attributes = { 'gen_ai.agent.name': event.agent, ...modelNames(modelOf(event.agent)) };
          return start(event.agent, 'invoke_agent', event.agent, attributes, 'crew');
        }
        case 'view-ready': {
          const model = modelOf(event.agent);
          const attributes = { ...modelNames(model), 'holdfast.view.messages': event.messages };
          // A retried request is a span of its own.
          end(`chat ${event.agent}`);
          return start(`chat ${event.agent}`, 'chat', model.model, attributes, event.agent);
        }
        case 'request-retry':
          return end(`chat ${event.agent}`, {}, event.category);
        case 'usage-report': {
          const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
          return end(`chat ${event.agent}`, {
            'gen_ai.usage.input_tokens': inputTokens + cacheReadTokens + cacheWriteTokens,
            'gen_ai.usage.output_tokens': outputTokens,
            'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
            'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
          });
        }
        case 'call-start': {
          const attributes = { 'gen_ai.tool.name': event.name, 'gen_ai.tool.call.id': event.id };
          return start(`call ${event.agent} ${event.id}`, 'execute_tool', event.name, attributes, event.agent);
        }
        case 'call-end':
          return end(`call ${event.agent} ${event.id}`, {}, event.failed ? 'tool_failed' : undefined);
        case 'agent-end': {
          const failed = event.error === undefined ? undefined : 'failed';
          end(`chat ${event.agent}`, {}, failed);
          return end(event.agent, {}, failed);
        }
        case 'history-append': {
          const { grown: before, after, place } = event;
          if (after < before) open.get('crew')?.addEvent('holdfast.history.pruned', { before, after, place });
          return;
        }
        case 'result': {
          const { status, rounds, handOffs } = event.result;
          const failed = status === 'complete' || status === 'paused' ? undefined : (event.result.limit ?? status);
          const counts = { 'holdfast.crew.rounds': rounds, 'holdfast.crew.hand_offs': handOffs };
          return end('crew', { 'holdfast.crew.status': status, ...counts }, failed);
        }
      }
    },
    /** Ends all open spans, inner ones before outer ones. */
    end(): void {
      for (const key of [...open.keys()].toReversed()) end(key, {}, 'cancelled');
    },
  };
}

function modelNames({ model, provider }: ReturnType<ModelOf>): Attributes {
  return { 'gen_ai.request.model': model, 'gen_ai.provider.name': provider };
}
