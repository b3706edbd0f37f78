import { callFacts } from '../calls/call-facts.ts';
import type { ResolvedConfig } from '../config.ts';
import type { Call, Dialect } from '../dialect.ts';
import { unansweredFrom } from '../fold/fold-turn.ts';
import type { Memory } from '../history/memory.ts';
import { type Budget, type Share, WORK_TURNS } from '../size/budget.ts';
import { addLoads, type Calibration, type Load, NO_LOAD, ratesOf, tokensOf } from '../size/tokens.ts';
import type { Archive } from '../state/archive.ts';
import type { StatementReader } from '../statements/statements.ts';
import type { Strategy } from '../strategy.ts';
import type { FoldSummaries } from '../summaries/fold-summaries.ts';
import type { View } from '../view/view.ts';
import type { Format } from './dialect.ts';
import type { CoreParts, WindowEvent } from './parts.ts';

/** What a window's methods share. A call that fails leaves `memory` and `format` as they were. */
export interface Core<M> {
  config: ResolvedConfig;
  strategies: readonly Strategy[];
  share: Share;
  /** What finds statements, in the window's languages. */
  readonly reader: StatementReader;
  readonly parts: Pick<CoreParts<M>, 'reminders' | 'repair' | 'summaries'>;
  /** The formats that messages of unknown format may have. */
  readonly dialects: readonly Dialect[];
  readonly summaries: FoldSummaries<M> | undefined;
  readonly summaryTokens: number;
  readonly writePrice: number;
  archive: Archive<M>;
  readonly warn: (message: string) => void;
  /** Warns once that `preserve_first_n` and `preserve_last_n` fill `max_messages`, and what that means. */
  readonly warnFull: (means: string) => void;
  /** The caller set `preserve_last_n`. */
  readonly tailGiven: boolean;
  readonly emit: (event: WindowEvent) => void;
  /** The caller named the dialect. */
  readonly named: boolean;
  readonly tokens: CoreParts<M>['tokens'];
  readonly handles: CoreParts<M>['handles'];
  format: Format<M>;
  memory: Memory<M>;
  calibration: Calibration;
  /** A memory that was not committed, although the archive may have some of its messages: nothing else may use its handles. */
  uncommitted: Memory<M> | undefined;
}

/** A note may take this share of the tokens left for messages or of the whole history, whichever is less. */
const NOTE_SHARE = 0.12;
/** The note of a short history: a share of it would be too little to say anything. */
const SHORT_NOTE_TOKENS = 700;

/** Without a limit, the words of a long history would make the note grow forever. */
const MOST_WORDS = 12_000;

/**
 * The budget with the reserve and rates learned so far. The token target is a share of what is left for messages, because the
 * reserve cannot be folded. Transient messages count as reserve.
 */
export function budgetOf<M>(core: Core<M>, { said, log, view } = core.memory, transient = NO_LOAD): Budget {
  const { config, share, calibration } = core;
  const tokens = (load: Load) => tokensOf(load, calibration);
  const reserve = Math.max(config.reserve, calibration.fixed ?? 0) + tokens(transient);
  const max = { messages: Math.max(1, config.max_messages - transient.messages), tokens: config.max_tokens };
  const left = Math.max(0, Math.min(max.tokens, share.of) - reserve);
  const noteShare = Math.min(left * NOTE_SHARE, Math.max(tokens(said) * NOTE_SHARE, SHORT_NOTE_TOKENS));
  const summary = Math.floor(Math.min(core.summaryTokens, noteShare));
  const mostWords = Number.isFinite(left) ? left : MOST_WORDS;
  const words = Math.floor(Math.min(share.words(Math.min(left, tokens(said))), mostWords));
  return {
    max,
    target: {
      messages: Math.max(1, Math.floor(max.messages * share.messages)),
      tokens: reserve + Math.floor(left * share.tokens),
    },
    limit: config.limit,
    reserve,
    note: Math.floor(Math.min(share.note, noteShare)) + words + summary,
    summary,
    words,
    preserve_first_n: config.preserve_first_n,
    preserve_last_n: config.tail,
    history: { messages: said.messages, tokens: reserve + tokens(said) },
    grown: tokens(said) - tokens(log.at(-1)?.said ?? NO_LOAD),
    newest: tokens(addLoads(NO_LOAD, view.turns.slice(unansweredFrom(view.turns)))),
    asked: isNextTask(view),
    // Few strategies ask, and reading command lines takes time.
    get working() {
      return isWorking(view);
    },
    write_price: core.writePrice,
    rates: ratesOf(calibration),
  };
}

function isWorking<M>({ turns }: View<M>): boolean {
  const isChange = (call: Call) => callFacts(call).kind === 'write';
  return turns.slice(-WORK_TURNS).some(({ readings }) => readings.some(({ calls }) => calls.some(isChange)));
}

/** True if the user speaks after tool calls: in plain talk every other turn is the user's. */
function isNextTask<M>({ turns }: View<M>): boolean {
  if (!turns.at(-1)?.asks) return false;
  const before = turns.findLastIndex((turn, i) => turn.asks && i < turns.length - 1);
  return turns.slice(before + 1).some(({ readings }) => readings.some(({ calls }) => calls.length > 0));
}
