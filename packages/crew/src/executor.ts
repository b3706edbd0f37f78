import type { Logger, Provider, ProviderConfig, Tool } from '@holdfast/agent';
import { providerOf } from '@holdfast/agent/config';
import type { ModelOverrides } from '@holdfast/models';
import { HoldfastError } from 'holdfast';
import type { CrewConfig, CrewMessage } from './config/config.ts';
import { type CrewInput, crewConfig } from './config/load.ts';
import { membersOf } from './config/members.ts';
import type { CrewEvent, CrewResult } from './events.ts';
import { crewConversation, pruned } from './history/bound.ts';
import { type KeptHistory, pruningLine } from './history/history.ts';
import { checkHistory } from './history/messages.ts';
import { createEventBuffer } from './request/event-buffer.ts';
import { type CrewSetup, runCrew } from './request/run.ts';
import { createCrewSpans } from './telemetry/spans.ts';
import { createCharsMemory } from './usage/chars-said.ts';

/** What a crew needs besides its configuration. */
export interface CrewParts {
  /** Creates an agent's provider. Default: the one in its configuration. */
  readonly provider?: (agent: string, config: Partial<ProviderConfig>) => Provider;
  /** Tools that agents may name. */
  readonly tools?: readonly Tool[];
  /** Overrides the configuration. */
  readonly max_messages_per_request?: number;
  readonly models?: ModelOverrides;
  readonly logger?: Logger;
  /** Gets every event of every request, such as `observe` of `createCrewMetrics()`. Its errors are only logged. */
  readonly onEvent?: (event: CrewEvent) => void;
  /** `crew.yml:7:5` for a path, to be named in errors. */
  readonly placeOf?: (path: readonly PropertyKey[]) => string;
}

/** Options of one request. */
export interface CrewOptions {
  readonly signal?: AbortSignal;
  /** Called, and waited for, with each append to the history. Its errors end the request and are thrown. */
  readonly onAppend?: (messages: readonly CrewMessage[]) => void | Promise<void>;
  /** The history that a session keeps from request to request. */
  readonly kept?: KeptHistory;
}

const SILENT: Logger = { debug() {}, info() {}, warn() {} };

/** Runs requests with several agents and one bounded history each. Requests may run in parallel and are independent. */
export class CrewExecutor {
  readonly crew: CrewConfig;
  readonly #setup: Omit<CrewSetup, 'limit' | 'emit'>;
  readonly #onEvent: CrewParts['onEvent'];
  #limit: number;

  /** Throws BAD_CONFIG with all problems. */
  constructor(crew: CrewInput | CrewConfig, parts: CrewParts = {}) {
    this.crew = crewConfig(crew);
    const { logger = SILENT, models } = parts;
    const members = membersOf(this.crew, parts);
    this.#setup = { crew: this.crew, members, models, memory: createCharsMemory(), logger };
    this.#onEvent = parts.onEvent;
    this.#limit = positive(parts.max_messages_per_request ?? this.crew.max_messages_per_request);
  }

  /** Most messages in the history, and in the window of an agent without its own limit. At least 1. */
  get max_messages_per_request(): number {
    return this.#limit;
  }

  set max_messages_per_request(limit: number) {
    this.#limit = positive(limit);
  }

  /**
   * The newest whole turns within the limit; more only if the newest turn alone is longer. Logs the sizes. With a limit below
   * 1 it only warns.
   */
  pruneHistory(history: readonly CrewMessage[], limit: number = this.#limit): CrewMessage[] {
    const { trimmed } = pruned(crewConversation(this.#setup.logger), history, limit);
    if (trimmed.length < history.length) this.#setup.logger.info(pruningLine(history.length, trimmed.length));
    return trimmed;
  }

  /**
   * Answers the user. `history` (copied) is what was said before; if an agent asked the user, that agent continues. Without
   * an input, an interrupted request is resumed. Failures of models, tools and networks are in the result. Throws
   * INVALID_HISTORY.
   */
  async execute(
    input: string | undefined,
    history: readonly CrewMessage[] = [],
    options: CrewOptions = {},
  ): Promise<CrewResult> {
    for await (const event of this.executeStream(input, history, options))
      if (event.type === 'result') return event.result;
    throw new HoldfastError('PROVIDER_FAILED', 'the crew ended without a result');
  }

  /** Like `execute`, but yields events; `result` is the last. Stopping to read cancels the request. */
  async *executeStream(
    input: string | undefined,
    history: readonly CrewMessage[] = [],
    options: CrewOptions = {},
  ): AsyncGenerator<CrewEvent, void> {
    const given = checkHistory(history);
    const events = createEventBuffer();
    const left = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
    const spans = await createCrewSpans(this.crew.entry, (agent) => this.#modelOf(agent));
    const emit = (event: CrewEvent) => {
      spans?.observe(event);
      events.push(event);
      this.#notify(event);
    };
    const setup = { ...this.#setup, limit: this.#limit, emit };
    let failure: { readonly error: unknown } | undefined;
    const running = runCrew(setup, input, given, { ...options, signal })
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => {
        spans?.end();
        events.end();
      });
    try {
      for await (const { event } of events.read()) yield event;
      if (failure) throw failure.error;
    } finally {
      left.abort();
      await running;
    }
  }

  #modelOf(agent: string) {
    const { model = '', provider } = this.#setup.members.get(agent) ?? {};
    return { model, provider: providerOf(provider?.name ?? '')?.server?.maker ?? provider?.name ?? '' };
  }

  #notify(event: CrewEvent): void {
    try {
      this.#onEvent?.(event);
    } catch (error) {
      this.#setup.logger.warn(`onEvent threw on ${event.type}: ${String(error)}`);
    }
  }
}

function positive(limit: number): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  const text = `invalid max_messages_per_request ${limit}: expected a whole number of at least 1`;
  throw new HoldfastError('BAD_CONFIG', text, { key: 'max_messages_per_request' });
}
