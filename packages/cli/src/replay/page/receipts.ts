import { counted, tokens } from '../../view/amounts.ts';
import type { CallTrace, FoldTrace } from '../trace.ts';
import { html, type Markup } from './markup.ts';

/** A fold, and what was missed from it to the next. */
interface Receipt {
  readonly fold: FoldTrace;
  readonly call: number;
  readonly lacked: number;
  readonly missing: readonly string[];
  readonly askedAgain: readonly string[];
}

const SHOWN = 8;

/** Every fold with what it did, and what the calls behind it lacked. Pure. */
export function receipts(calls: readonly CallTrace[]): Markup {
  const all = receiptsOf(calls);
  if (all.length === 0) return html`<h3>Folds</h3><p>No folds.</p>`;
  return html`<h3>Folds and what was missing after each</h3><div class="scroll" tabindex="0" role="region" aria-label="Folds"><table class="receipts"><thead><tr><th scope="col">fold</th><th scope="col">at call</th><th scope="col">reason</th><th scope="col">tokens</th><th scope="col">turns</th><th scope="col">note</th><th scope="col">missing until the next fold</th></tr></thead><tbody>${all.map(receiptRow)}</tbody></table></div>`;
}

function receiptRow({ fold, call, lacked, missing, askedAgain }: Receipt): Markup {
  const turns = `${fold.kept} kept, ${fold.masked} masked, ${fold.dropped} dropped`;
  const note =
    fold.note === ''
      ? html`none`
      : html`<details><summary>${tokens(fold.noteTokens)} tokens</summary><pre tabindex="0">${fold.note}</pre></details>`;
  const missed =
    lacked === 0 && askedAgain.length === 0
      ? html`nothing`
      : html`<details><summary>${lacked} ${lacked === 1 ? 'name or line' : 'names or lines'}${askedAgain.length > 0 ? `, ${counted(askedAgain.length, 'call')} again` : ''}</summary><ul>${missing.map((text) => html`<li><code>${text}</code></li>`)}${askedAgain.map((text) => html`<li>asked again: <code>${text}</code></li>`)}</ul></details>`;
  return html`<tr><th scope="row">${fold.number}</th><td>${call}</td><td>${fold.reason}</td><td>${tokens(fold.before)} → ${tokens(fold.after)}</td><td>${turns}</td><td>${note}</td><td>${missed}</td></tr>`;
}

function receiptsOf(calls: readonly CallTrace[]): Receipt[] {
  const starts = calls.flatMap((call, at) => (call.fold ? [{ fold: call.fold, at }] : []));
  return starts.map(({ fold, at }, i) => {
    const behind = calls.slice(at, starts[i + 1]?.at ?? calls.length);
    return {
      fold,
      call: at + 1,
      lacked: behind.reduce((sum, { lacked }) => sum + lacked, 0),
      missing: [...new Set(behind.flatMap(({ missing }) => missing))].slice(0, SHOWN),
      askedAgain: [...new Set(behind.flatMap(({ askedAgain }) => askedAgain))].slice(0, SHOWN),
    };
  });
}
