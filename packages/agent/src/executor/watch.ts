import type { ExecutionResult, Logger, ProviderEvent } from '../providers/provider.ts';
import type { ExecutorEvent, ExecutorState } from './state.ts';
import { addProgress, cacheShareOf, type Totals } from './totals.ts';

/** Reports the state of a run. */
export interface Watch {
  state(): ExecutorState;
  /** Changes the state, and reports it. */
  show(change: Partial<ExecutorState>): void;
  /** Sets what the run has used up to now. */
  used(totals: Totals): void;
  /** Sets the conversation's size after an execution. */
  conversation(metrics: NonNullable<ExecutionResult['conversationMetrics']>): void;
  emit(event: ExecutorEvent): void;
  provider(event: ProviderEvent): void;
  readonly logger: Logger;
}

/** The share of `max_messages` above which to warn. */
const NEAR = 0.8;

/** Watches a run that has already used `before`. Ignores what listeners throw. */
export function createWatch(
  maxIterations: number,
  before: Totals,
  onEvent: ((event: ExecutorEvent) => void) | undefined,
): Watch {
  const started = performance.now();
  let totals = before;
  let calls = before.calls;
  let folds = before.folds;
  let isNear = false;
  let shown: Omit<ExecutorState, 'elapsedMs' | 'calls' | 'folds' | keyof Totals | 'cacheShare'> = {
    status: 'running',
    iteration: 0,
    maxIterations,
    phase: 'starting',
  };
  const state = (): ExecutorState => ({
    ...shown,
    ...figures(totals),
    calls,
    folds,
    cacheShare: cacheShareOf(totals.tokenUsage),
    elapsedMs: before.elapsedMs + Math.round(performance.now() - started),
  });
  const emit = (event: ExecutorEvent) => {
    try {
      onEvent?.(event);
    } catch {
      // A failing listener must not end the run.
    }
  };
  const show = (change: Partial<ExecutorState>) => {
    shown = { ...shown, ...change };
    emit({ type: 'state-change', state: state() });
  };
  const log = (level: 'debug' | 'info' | 'warn') => (text: string) => emit({ type: 'log-line', level, text });
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn') };

  const viewReady = ({ messages, tokens, estimated, max }: Extract<ProviderEvent, { type: 'view-ready' }>) => {
    const limit = (value: number) => (Number.isFinite(value) ? value : 0);
    const context = {
      messages,
      tokens,
      estimated,
      maxMessages: limit(max.messages),
      maxTokens: limit(max.tokens),
    };
    if (!isNear && messages > NEAR * max.messages) {
      isNear = true;
      logger.warn(`Conversation approaching limit (${messages}/${max.messages} messages)`);
    }
    show({ phase: 'model', conversationMessageCount: messages, context });
  };

  const provider = (event: ProviderEvent) => {
    switch (event.type) {
      case 'view-ready':
        return viewReady(event);
      case 'call-start': {
        const about = aboutOf(event.input);
        show({ phase: 'tool', tool: { name: event.name, about } });
        return emit({ type: 'call-start', id: event.id, name: event.name, about });
      }
      case 'call-end': {
        calls++;
        const { tool: _, ...rest } = shown;
        shown = rest;
        emit(event);
        return show({ phase: 'model' });
      }
      case 'fold-end':
        folds++;
        isNear = false;
        return emit(event);
      case 'usage-report': {
        const progress = { filesChanged: [], tokenUsage: event.usage, requests: 1 };
        const { cost, ...rest } = addProgress(totals, progress);
        const spent = totals.cost && event.cost !== undefined ? { spent: totals.cost.spent + event.cost } : undefined;
        totals = { ...rest, ...(spent && totals.cost ? { cost: { ...totals.cost, ...spent } } : {}) };
        return show({});
      }
      case 'request-retry':
        emit(event);
        return show({ phase: 'retry' });
      case 'call-output':
      case 'text-delta':
      case 'reminder-add':
        return emit(event);
    }
  };

  return {
    state,
    show,
    used(now) {
      totals = now;
      folds = now.folds;
      calls = now.calls;
      show({});
    },
    conversation({ messageCount, estimatedTokens }) {
      const { context } = shown;
      const now = context && { context: { ...context, messages: messageCount, tokens: estimatedTokens } };
      show({ conversationMessageCount: messageCount, ...now });
      const text = `Conversation: ${messageCount} messages (~${estimatedTokens} tokens)`;
      emit({ type: 'log-line', level: 'info', text, inState: true });
    },
    emit,
    provider,
    logger,
  };
}

/** Totals without file names, of which there may be many. */
function figures({ filesChanged: _, ...rest }: Totals): Omit<Totals, 'filesChanged'> {
  return rest;
}

const TELLING = ['path', 'command', 'pattern', 'handle', 'words', 'summary', 'reason', 'query', 'url'];
const MOST = 200;

/** What a call is about, in one line. Pure. */
export function aboutOf(input: unknown): string {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const key = TELLING.find((name) => typeof fields[name] === 'string');
  const text = key === undefined ? (JSON.stringify(input) ?? '') : String(fields[key]);
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MOST ? `${line.slice(0, MOST - 1)}…` : line;
}
