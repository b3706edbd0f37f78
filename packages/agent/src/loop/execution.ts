import { createHash } from 'node:crypto';
import { cachePrices, type FoundModel } from '@holdfast/models';
import { type Dialect, type FitMetrics, HoldfastError, memoryArchive, type Receipt, type Summarizer } from 'holdfast';
import { guarded } from '../providers/guarded.ts';
import type { Logger, ProviderEvent } from '../providers/provider.ts';
import type { Api, ShortAnswer } from './api.ts';
import type { ResolvedOptions } from './api-options.ts';
import { Conversation } from './conversation.ts';
import type { Spent } from './conversation-log.ts';
import { failureOf, shortened } from './failure.ts';
import type { Redactor } from './redactor.ts';
import { type OpenCalls, readSaved, type SavedConversation } from './saved.ts';
import { createSpending, type Spending } from './spending.ts';
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
  const saved = readSaved<M>(options.conversationState);
  if (saved) checkFormat(saved, api.dialect);
  const fingerprint = fingerprintOf(options);
  const history = saved?.fingerprint === fingerprint ? (saved.historyTokens ?? 0) : 0;
  const spending = createSpending(info, options.models, history);
  const prices = cachePrices(info);
  const conversation: Conversation<M> = new Conversation<M>({
    config: windowConfig(options, info, setup.max_output),
    parts: {
      dialect: api.dialect,
      ...(options.handles === false ? { handles: false } : {}),
      archive: (options.archive as ReturnType<typeof memoryArchive<M>> | undefined) ?? memoryArchive<M>(),
      summarizer: summarizerOf(setup, spending, log, (spent) => conversation.used(spent)),
      logger: log,
      ...(prices && { prices }),
    },
    saved,
    fingerprint,
    api,
    ...(options.record ? { record: options.record } : {}),
    onFold(receipt, metrics) {
      log.debug(trimmedLine(receipt, metrics));
      emit({ type: 'fold-end', receipt });
    },
    onReminder({ about, handles, tokens }) {
      emit({ type: 'reminder-add', about, handles, tokens });
    },
  });
  return { ...setup, conversation, open: saved?.open, history, spending, log, emit, files: new Set(), partial };
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
