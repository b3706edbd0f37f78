import type { ProviderEvent } from '@holdfast/agent';
import type { Chat } from '@holdfast/agent/chat';
import type { ContextGauge } from '@holdfast/agent/run';
import type { TokenUsage } from '@holdfast/models';
import { counted, money, percent } from '../../view/amounts.ts';
import { clean } from '../../view/clean.ts';
import { gaugeBar, gaugeOf } from '../../view/gauge.ts';
import type { Style } from '../../view/style.ts';
import { columnsOf, cut } from '../../view/text.ts';

/** The figures of the status line; a limit of 0 is none. Plain data. */
export interface StatusFigures extends ContextGauge {
  readonly model: string;
  readonly folds: number;
  readonly cost: number;
  /** Of this conversation in this process; absent until something was sent. */
  readonly cacheShare?: number;
}

/** Keeps the figures up to date: follows events, and corrects itself from the chat between prompts. Stateful. */
export function createWatcher() {
  let now: StatusFigures = {
    model: '',
    tokens: 0,
    maxTokens: 0,
    estimated: true,
    messages: 0,
    maxMessages: 0,
    folds: 0,
    cost: 0,
  };
  let [read, sent] = [0, 0];
  let session: string | undefined;
  const used = ({ inputTokens, cacheReadTokens, cacheWriteTokens }: TokenUsage) => {
    read += cacheReadTokens;
    sent += inputTokens + cacheReadTokens + cacheWriteTokens;
  };
  return {
    get figures() {
      return now;
    },
    onEvent(event: ProviderEvent): void {
      if (event.type === 'view-ready') {
        const { tokens, messages, estimated, max } = event;
        const limits = { maxTokens: finite(max.tokens) || now.maxTokens, maxMessages: finite(max.messages) };
        now = { ...now, tokens, messages, estimated, ...limits };
      } else if (event.type === 'fold-end' && event.receipt.fold > 0) now = { ...now, folds: now.folds + 1 };
      else if (event.type === 'usage-report') {
        used(event.usage);
        now = { ...now, cost: now.cost + (event.cost ?? 0), ...(sent > 0 ? { cacheShare: read / sent } : {}) };
      }
    },
    /** Reads all figures from the chat, between prompts. Never throws. */
    async refresh(chat: Chat): Promise<void> {
      const { model } = chat.speaker;
      // After /clear.
      if (session !== undefined && session !== chat.session) {
        [read, sent] = [0, 0];
        const { cacheShare: _, ...fresh } = now;
        now = fresh;
      }
      session = chat.session;
      try {
        const info = await chat.info();
        now = { ...now, model, messages: info?.messages ?? 0, folds: info?.folds ?? 0, cost: info?.cost ?? 0 };
        const { total: tokens, estimated, messages, folds, ...use } = await chat.context();
        const limits = { maxTokens: finite(use.max) || finite(use.limit), maxMessages: finite(use.maxMessages) };
        now = { ...now, tokens, estimated, messages, folds, ...limits };
      } catch {
        // A provider that keeps its own conversation does not report its size.
        now = { ...now, model };
      }
    },
  };
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

const BAR = 10;
/** Narrower terminals have two rows. */
const ONE_ROW = 70;

/**
 * The status line, in two rows on a narrow terminal. The model's name comes before the cache share if one row has room for only
 * one of them, and is left out if it fits nowhere. Pure.
 */
export function statusRows(figures: StatusFigures, columns: number, style: Style): string[] {
  const all = placed(figures, columns, style);
  if (all.isComplete) return all.rows;
  const { cacheShare: _, ...rest } = figures;
  const without = placed(rest, columns, style);
  return without.isComplete && without.rows.length === 1 ? without.rows : all.rows;
}

function placed(figures: StatusFigures, columns: number, style: Style) {
  const { folds, cost, cacheShare, model } = figures;
  const { share, figures: sizes } = gaugeOf(figures);
  const bar = share !== undefined && columns >= 50 ? `${gaugeBar(share, BAR, style)} ` : '';
  const [first = '', ...parts] = [
    ...sizes,
    ...(folds === 0 ? [] : [counted(folds, 'fold')]),
    money(cost),
    ...(cacheShare === undefined ? [] : [`cache ${percent(cacheShare)}`]),
  ];
  const rows = [`${bar}${cut(first, columns)}`];
  let isComplete = true;
  for (const part of [...parts, clean(model)]) {
    const next = ` ${style.marks.dot} ${part}`;
    const last = rows.at(-1) ?? '';
    if (columnsOf(last) + columnsOf(next) <= columns) rows[rows.length - 1] = `${last}${style.colours.dim(next)}`;
    else if ((columns < ONE_ROW || parts.includes(part)) && rows.length < 2)
      rows.push(style.colours.dim(cut(part, columns)));
    else isComplete = false;
  }
  return { rows, isComplete };
}
