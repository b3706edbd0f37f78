import type { Logger, ModelOverrides, Provider, ProviderConfig, Tool } from '@holdfast/agent';
import { providerOf } from '@holdfast/agent/config';
import { HoldfastError } from 'holdfast';
import type { CrewConfig, CrewMessage } from './config/config.ts';
import { type CrewInput, crewConfig } from './config/load.ts';
import { type Member, membersOf } from './config/members.ts';
import type { CrewEvent, CrewResult } from './events.ts';
import { historyWindow } from './history/bound.ts';
import { givenHistory } from './history/given-history.ts';
import { pruningLine } from './history/history.ts';
import type { KeptHistory } from './history/kept-history.ts';
import { pruned } from './history/prune.ts';
import { createEventQueue } from './request/event-queue.ts';
import { runCrew } from './request/run.ts';
import { createCrewSpans } from './telemetry/spans.ts';
import { createSaidBefore } from './usage/said-before.ts';

/** What a crew works with beside its configuration. */
export interface CrewParts {
  /** Who runs the model of an agent. Default: what its configuration names. */
  readonly provider?: (agent: string, config: Partial<ProviderConfig>) => Provider;
  /** Tools that agents may name. */
  readonly tools?: readonly Tool[];
  /** Over the configuration's. */
  readonly max_messages_per_request?: number;
  readonly models?: ModelOverrides;
  readonly logger?: Logger;
  /** Told of every event of every request, such as `createCrewMetrics().observe`. What it throws is only logged. */
  readonly onEvent?: (event: CrewEvent) => void;
  /** `crew.yml:7:5` for a path, so that errors name it. */
  readonly placeOf?: (path: readonly PropertyKey[]) => string;
}

/** How one request is run. */
export interface CrewOptions {
  readonly signal?: AbortSignal;
  /** Waited for before anything else happens; what it throws ends the request and is thrown. */
  readonly onAppend?: (messages: readonly CrewMessage[]) => void | Promise<void>;
  /** The log that keeps the history from request to request, as a session does. */
  readonly kept?: KeptHistory;
}

const SILENT: Logger = { debug() {}, info() {}, warn() {} };

/** Many agents and one bounded history for each request. Any number of requests at once; none sees another. */
export class CrewExecutor {
  readonly crew: CrewConfig;
  readonly #parts: CrewParts;
  readonly #members: ReadonlyMap<string, Member>;
  readonly #logger: Logger;
  readonly #before = createSaidBefore();
  #limit: number;

  /** Throws BAD_CONFIG with all that is wrong. */
  constructor(crew: CrewInput | CrewConfig, parts: CrewParts = {}) {
    this.crew = crewConfig(crew);
    this.#parts = parts;
    this.#logger = parts.logger ?? SILENT;
    this.#members = membersOf(this.crew, parts);
    this.#limit = positive(parts.max_messages_per_request ?? this.crew.max_messages_per_request);
  }

  /** Most messages of the history, and of the window of an agent without a limit of its own. Must be more than 0. */
  get max_messages_per_request(): number {
    return this.#limit;
  }

  set max_messages_per_request(limit: number) {
    this.#limit = positive(limit);
  }

  /** The newest whole turns of at most so many messages, the oldest first out; more only where the newest turn alone is longer. Logs what goes; a limit of 0 or less does nothing but warn. */
  pruneHistory(history: readonly CrewMessage[], limit: number = this.#limit): CrewMessage[] {
    const { trimmed } = pruned(historyWindow(this.#logger), history, limit);
    if (trimmed.length < history.length) this.#logger.info(pruningLine(history.length, trimmed.length));
    return trimmed;
  }

  /**
   * Answers the user. `history`, which is copied, is what was said before; where an agent had asked the user, it goes on.
   * Without an input, what was cut off goes on. Never throws for what models, tools and networks do: that is in the result.
   * Throws INVALID_HISTORY for what is no history.
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

  /** The same as `execute`, event by event; `result` is the last. Who stops reading cancels the request. */
  async *executeStream(
    input: string | undefined,
    history: readonly CrewMessage[] = [],
    options: CrewOptions = {},
  ): AsyncGenerator<CrewEvent, void> {
    const given = givenHistory(history);
    const queue = createEventQueue();
    const left = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
    const spans = await createCrewSpans(this.crew.entry, (agent) => this.#modelOf(agent));
    const running = runCrew(
      { crew: this.crew, members: this.#members, limit: this.#limit, before: this.#before, ...this.#models() },
      { input, history: given, options: { ...options, signal } },
      {
        logger: this.#logger,
        emit: (event) => {
          spans?.observe(event);
          this.#emit(event, queue.push);
        },
      },
    )
      .finally(() => spans?.end())
      .then(queue.end, queue.fail);
    try {
      yield* queue.read();
    } finally {
      left.abort();
      await running;
    }
  }

  #modelOf(agent: string) {
    const { model = '', provider } = this.#members.get(agent) ?? {};
    return { model, provider: providerOf(provider?.name ?? '')?.server?.maker ?? provider?.name ?? '' };
  }

  #models() {
    return this.#parts.models ? { models: this.#parts.models } : {};
  }

  #emit(event: CrewEvent, push: (event: CrewEvent) => void): void {
    push(event);
    try {
      this.#parts.onEvent?.(event);
    } catch (error) {
      this.#logger.warn(`onEvent threw at ${event.type}: ${String(error)}`);
    }
  }
}

function positive(limit: number): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new HoldfastError('BAD_CONFIG', `max_messages_per_request is ${limit}: give a whole number from 1 on`, {
    key: 'max_messages_per_request',
  });
}
