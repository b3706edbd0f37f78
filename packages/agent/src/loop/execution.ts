import { createHash } from 'node:crypto';
import { cachePrices, type FoundModel, sessionTokens } from '@holdfast/models';
import { Conversation, type ConversationParts, type ConversationState } from '@holdfast/sessions';
import {
  type Archive,
  type Dialect,
  type FitMetrics,
  HoldfastError,
  isHoldfastError,
  type Receipt,
  type Summarizer,
} from 'holdfast';
import { defined } from '../defined.ts';
import { guarded } from '../providers/guarded.ts';
import type { Logger, ProviderEvent } from '../providers/provider.ts';
import type { Api, ApiRequest, ShortAnswer } from './api.ts';
import type { ResolvedOptions } from './api-options.ts';
import { failureOf, shortened } from './failure.ts';
import type { OpenCalls } from './open-calls.ts';
import type { Redactor } from './redactor.ts';
import { badState, freshState, readSaved, type SavedConversation } from './saved.ts';
import { type LimitedConfig, within } from './shrink.ts';
import { createSpending, type Spending, type Used } from './spending.ts';
import { CutOff } from './stream.ts';
import { toolsText, windowConfig } from './window-config.ts';

/** Everything an execution needs to start. */
export interface ExecutionSetup<M> {
  /** The provider's. */
  readonly name: string;
  readonly api: Api<M>;
  readonly options: ResolvedOptions;
  readonly info: FoundModel;
  readonly max_output: number;
  readonly redactor: Redactor;
  /** Aborted by the caller, or when the time is up. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970; Infinity if there is none. */
  readonly deadline: number;
  /** What may be wrong with the address, for a 404. */
  readonly addressDoubt?: string;
  /** Where requests go, without secrets. */
  readonly address?: string;
}

/** A running execution. */
export interface Execution<M> extends ExecutionSetup<M> {
  readonly conversation: Conversation<M>;
  readonly config: LimitedConfig;
  /** Calls to run before the first request; undefined if the prompt is still to be added. */
  readonly open: OpenCalls | undefined;
  /** Tokens of the full history at the last request of the previous execution. */
  readonly history: number;
  readonly spending: Spending;
  readonly log: Logger;
  readonly emit: (event: ProviderEvent) => void;
  readonly files: Set<string>;
  /** The text of the current answer so far. */
  readonly partial: { text: string };
}

/** Starts an execution, or continues a conversation. Throws BAD_CONFIG or BAD_STATE. */
export function startExecution<M>(setup: ExecutionSetup<M>): Execution<M> {
  const { api, options, info, redactor } = setup;
  const { log, emit: tell } = guarded(options, (line) => shortened(redactor.message(line)));
  const partial = { text: '' };
  const emit = (event: ProviderEvent) => {
    // A retry starts a new answer.
    if (event.type === 'view-ready') partial.text = '';
    else if (event.type === 'text-delta') partial.text += event.text;
    tell(event);
  };
  const saved = savedBy<M>(options);
  if (saved) checkFormat(saved, api.dialect);
  const fingerprint = fingerprintOf(options);
  const isSame = saved?.fingerprint === fingerprint;
  const history = isSame ? (saved?.historyTokens ?? 0) : 0;
  const spending = createSpending(info, options.models, history);
  const prices = cachePrices(info);
  const config = windowConfig(options, info, setup.max_output);
  const state = saved && freshState(saved, fingerprint, api);
  const { limit } = state ?? {};
  const { through, open = saved?.open } = options.session ?? {};
  const parts: ConversationParts<M> = {
    dialect: api.dialect,
    config: limit === undefined ? config : { ...config, ...within(config, limit) },
    ...(options.handles === false ? { handles: false } : {}),
    ...(options.archive ? { archive: options.archive as Archive<M> } : {}),
    summarizer: summarizerOf(setup, spending, log, (spent) => recordSpent(conversation, spent)),
    logger: log,
    ...(prices && { prices }),
    ...(through ? { through } : {}),
  };
  const kept = options.session?.conversation as Conversation<unknown> as Conversation<M> | undefined;
  const conversation = kept ?? new Conversation<M>(parts);
  opened(() => conversation.reopen(parts, state ?? unsaid(conversation, api.dialect)));
  return { ...setup, conversation, config, open, history, spending, log, emit, files: new Set(), partial };
}

/** The conversation to continue; undefined if nothing has been said yet. Throws BAD_STATE. */
function savedBy<M>({ session, conversationState }: ResolvedOptions): SavedConversation<M> | undefined {
  if (!session) return readSaved<M>(conversationState);
  const { conversation } = session;
  return conversation.messages === 0
    ? undefined
    : (conversation.state() as ConversationState<unknown> as SavedConversation<M>);
}

/** Before anything is said, any dialect will do; but no handle of what was rewound may be used again. */
function unsaid<M>(conversation: Conversation<M>, { name }: Dialect<M>): Partial<ConversationState<M>> {
  return conversation.isStored ? { window: { ...conversation.state().window, dialect: name } } : {};
}

/** Throws BAD_STATE in the caller's terms. */
function opened(open: () => void): void {
  try {
    open();
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'BAD_STATE') throw error;
    throw badState({ restoring: error.message });
  }
}

/** Records who speaks, if that has changed. */
export async function begin<M>(execution: Execution<M>, isChanged = false): Promise<void> {
  const { conversation, name, options } = execution;
  const fingerprint = fingerprintOf(options);
  if (!isChanged && conversation.fingerprint === fingerprint) return;
  const { provider = name, folder } = options.session ?? {};
  await conversation.speak({ provider, model: options.model, fingerprint, ...defined({ folder }) });
}

/** What a request used. */
export interface Spent extends Used {
  readonly model: string;
  /** The number of its entry in the log. */
  readonly request?: number | undefined;
  /** True if the answer was paused, and the next request continues it. */
  readonly paused?: boolean;
}

/** Recorded with what is added next. `historyTokens`: of the whole history, if the request was answered. */
export function recordSpent<M>(
  conversation: Conversation<M>,
  { model, usage, cost, request, paused }: Spent,
  historyTokens?: number,
): void {
  const tokens = sessionTokens(usage);
  conversation.spend(defined({ tokens, cost, request, paused: paused || undefined, model }), historyTokens);
}

/** What to send now, reported to whoever listens. Throws INVALID_HISTORY or OVER_BUDGET. */
export async function viewOf<M>({ conversation, log, emit, signal }: Execution<M>): Promise<View<M>> {
  const view = await conversation.view({ signal });
  const { receipt, reminder, metrics } = view;
  if (receipt) {
    log.debug(trimmedLine(receipt, metrics));
    emit({ type: 'fold-end', receipt });
  }
  if (reminder) {
    const { about, handles, tokens } = reminder;
    emit({ type: 'reminder-add', about, handles, tokens });
  }
  return view;
}

/** A view, ready to be sent, and its figures. */
export interface View<M> extends ApiRequest<M> {
  readonly metrics: FitMetrics;
}

/** A hash of model, system prompt and tools: thinking is bound to them. */
function fingerprintOf({ model, system = '', tools = [] }: ResolvedOptions): string {
  const text = JSON.stringify([model, system, toolsText(tools) || '[]']);
  return createHash('sha256').update(text).digest('hex');
}

/** Throws BAD_STATE for messages of another wire format. */
function checkFormat<M>({ window, pending }: SavedConversation<M>, dialect: Dialect<M>): void {
  const messages: readonly M[] = [...(Array.isArray(window.view) ? window.view : []), ...pending];
  if (!messages.some((message) => dialect.recognizes(message) === false)) return;
  const text = `cannot resume from conversationState: its messages are not ${dialect.name}; use a provider of the API that returned it, or leave it out`;
  throw new HoldfastError('BAD_STATE', text);
}

function trimmedLine({ turns }: Receipt, { preservedMessages, estimatedTokens }: FitMetrics): string {
  const evicted = turns.reduce((sum, { verdict, from, to }) => sum + (verdict === 'drop' ? to - from + 1 : 0), 0);
  return `Trimmed conversation: ${evicted} messages removed, ${preservedMessages} kept (~${estimatedTokens} tokens)`;
}

function summarizerOf<M>(
  { api, options, signal }: ExecutionSetup<M>,
  spending: Spending,
  log: Logger,
  used: (spent: Spent) => void,
): Summarizer {
  const bill = (report: ShortAnswer['report'], model: string) => {
    const spent = spending.summary(report?.usage, model);
    if (spent) used({ ...spent, model, request: report?.request });
  };
  return {
    async call(prompt, { max_tokens = 1_024, model = options.model, signal: own } = { max_tokens: 1_024 }) {
      const until = own instanceof AbortSignal ? AbortSignal.any([signal, own]) : signal;
      const { text, report } = await api.say(prompt, model, max_tokens, until).catch((error: unknown) => {
        if (error instanceof CutOff) bill(error.report, model);
        log.warn(`No summary by ${model}, using the digest: ${failureOf(error).message}`);
        throw error;
      });
      bill(report, model);
      if (text.trim() === '') log.warn(`Empty summary by ${model}, using the digest`);
      return text;
    },
  };
}
