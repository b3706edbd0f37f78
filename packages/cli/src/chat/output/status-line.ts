import type { ProviderEvent, TokenUsage } from '@holdfast/agent';
import type { Chat } from '@holdfast/agent/chat';
import { counted, money, percent, tokensOf } from '../../view/amounts.ts';
import { clean } from '../../view/clean.ts';
import { gaugeBar } from '../../view/run/live-rows.ts';
import type { Style } from '../../view/style.ts';
import { columnsOf, cut } from '../../view/text.ts';

/** The figures of the status line. Plain data. */
export interface StatusFigures {
  readonly model: string;
  readonly tokens: number;
  readonly max: number;
  readonly estimated: boolean;
  readonly messages: number;
  /** 0: no limit. */
  readonly maxMessages: number;
  readonly folds: number;
  readonly cost: number;
  /** Of this conversation in this process; absent until something was sent. */
  readonly cacheShare?: number;
}

/** Keeps the figures up to date. Stateful. */
export interface Watcher {
  readonly figures: StatusFigures;
  onEvent(event: ProviderEvent): void;
  /** Reads all figures from the chat, between prompts. Never throws. */
  refresh(chat: Chat): Promise<void>;
}

/** Follows events, and corrects itself from the chat between prompts. */
export function createWatcher(): Watcher {
  let now: StatusFigures = {
    model: '',
    tokens: 0,
    max: 0,
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
    onEvent(event) {
      if (event.type === 'view-ready') {
        const { tokens, messages, estimated, max } = event;
        const limits = { max: finite(max.tokens) || now.max, maxMessages: finite(max.messages) };
        now = { ...now, tokens, messages, estimated, ...limits };
      } else if (event.type === 'fold-end' && event.receipt.fold > 0) now = { ...now, folds: now.folds + 1 };
      else if (event.type === 'usage-report') {
        used(event.usage);
        now = { ...now, cost: now.cost + (event.cost ?? 0), ...(sent > 0 ? { cacheShare: read / sent } : {}) };
      }
    },
    async refresh(chat) {
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
        const limits = { max: finite(use.max) || finite(use.limit), maxMessages: finite(use.maxMessages) };
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

const BAR = 16;

/** The status line, in two rows on a narrow terminal, with the model's name if it fits. Pure. */
export function statusRows(figures: StatusFigures, columns: number, style: Style): string[] {
  const { tokens, max, estimated, messages, maxMessages: most, folds, cost, cacheShare, model } = figures;
  const gauge = tokensOf(tokens, max, estimated);
  // Exceeding either limit triggers a fold.
  const share = Math.max(max > 0 ? tokens / max : 0, most > 0 ? messages / most : 0);
  const bar = max + most > 0 && columns >= 60 ? `${gaugeBar(share, BAR, style)} ` : '';
  const parts = [
    most > 0 ? `${messages}/${most} messages` : counted(messages, 'message'),
    counted(folds, 'fold'),
    money(cost),
    ...(cacheShare === undefined ? [] : [`cache ${percent(cacheShare)}`]),
  ];
  const rows = [`${bar}${cut(gauge, columns)}`];
  for (const part of [...parts, clean(model)]) {
    const next = ` ${style.marks.dot} ${part}`;
    const last = rows.at(-1) ?? '';
    if (columnsOf(last) + columnsOf(next) <= columns) rows[rows.length - 1] = `${last}${style.colours.dim(next)}`;
    else if (parts.includes(part) && rows.length < 2) rows.push(style.colours.dim(cut(part, columns)));
  }
  return rows;
}
