import { duration, tokens } from '../../view/amounts.ts';
import { foldPhrase, verdictPhrase } from '../../view/phrases.ts';
import type { CallStep, Change, Step } from '../steps.ts';
import { excerpt, type Html, html } from './markup.ts';

/** One step of the timeline; `started`: when the run did. Pure. */
export function stepItem(step: Step, started: number): Html {
  const at = html`<time>+${duration(Math.max(0, step.time - started))}</time>`;
  switch (step.type) {
    case 'iteration':
      return html`<li class="iteration">${at}Iteration ${step.iteration}</li>`;
    case 'user':
      return html`<li>${at}<details><summary class="dim">prompt</summary><pre>${excerpt(step.text)}</pre></details></li>`;
    case 'assistant':
      return html`<li>${at}<p class="said">${excerpt(step.text)}</p></li>`;
    case 'call':
      return callItem(step, at);
    case 'fold': {
      const { receipt } = step;
      const line = `≡ ${foldPhrase(receipt, '→')}  ${verdictPhrase(receipt)}`;
      if (receipt.note === undefined) return html`<li class="fold">${at}${line}</li>`;
      return html`<li class="fold">${at}<details><summary>${line}</summary><p class="dim">The note that took their place, ${tokens(receipt.noteTokens)} tokens:</p><pre>${excerpt(receipt.note, 20_000)}</pre></details></li>`;
    }
    case 'check':
      return html`<li>${at}<details><summary>${mark(!step.passed)} check <code>${excerpt(step.command)}</code></summary><pre>${excerpt(step.output) || '(no output)'}</pre></details></li>`;
    case 'end':
      return html`<li class="iteration">${at}${step.status}</li>`;
  }
}

function callItem(step: CallStep, at: Html): Html {
  const took =
    step.took !== undefined && step.took >= 1_000 ? html` <span class="dim">${duration(step.took)}</span>` : '';
  const about = step.about === '' ? '' : html` <code>${excerpt(step.about)}</code>`;
  const state = step.output === undefined ? html`<span class="warn">…</span>` : mark(step.failed === true);
  const output = step.output === undefined ? '(it has not ended)' : excerpt(step.output);
  return html`<li>${at}<details><summary>${state} ${step.name}${about}${took}</summary>${step.change && diff(step.change)}<pre>${output || '(no output)'}</pre></details></li>`;
}

function mark(isFailed: boolean): Html {
  return isFailed ? html`<span class="bad">✗ failed</span>` : html`<span class="good">✓</span>`;
}

/** The changes of one file, in the order in which they were made. Pure. */
export function fileItem(path: string, changes: readonly Change[]): Html {
  const lines = changes.reduce((sum, { added }) => sum + countOf(added), 0);
  const gone = changes.reduce((sum, { removed }) => sum + countOf(removed), 0);
  return html`<details class="file"><summary><code>${excerpt(path)}</code> <span class="good">+${lines}</span> <span class="bad">−${gone}</span></summary>${changes.map(diff)}</details>`;
}

function countOf(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

function diff({ removed, added }: Change): Html {
  const rows = (text: string, sign: string, kind: string) =>
    text === ''
      ? []
      : excerpt(text.replace(/\n$/, ''))
          .split('\n')
          .map((line) => html`<span class="${kind}">${sign} ${line}</span>`);
  return html`<pre class="diff">${rows(removed, '−', 'minus')}${rows(added, '+', 'plus')}</pre>`;
}
