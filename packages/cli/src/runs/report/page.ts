import { createHash } from 'node:crypto';
import { iterationsOf } from '@holdfast/agent/run';
import { duration, money, percent, tokens } from '../../view/amounts.ts';
import type { FoundRun } from '../find-run.ts';
import type { RunHistory } from '../history.ts';
import type { Change, Step } from '../steps.ts';
import { costChart } from './chart.ts';
import { excerpt, type Html, html } from './markup.ts';
import { fileItem, stepItem } from './parts.ts';
import { STYLE } from './style.ts';

const FOLDS =
  'A fold (other tools say compaction) replaces the older part of what the model reads by a short note; nothing is lost, and the model can ask for any of it.';

/** A run as one page that loads nothing and runs no script. All texts are escaped, and keys are masked. Pure. */
export function runPage({ info, saved }: FoundRun, history: RunHistory): string {
  const { steps, costs } = history;
  const started = steps[0]?.time ?? info.created;
  const title = excerpt(info.title) || info.id;
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;
  const files = changesOf(steps);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Holdfast</title><style>${{ html: STYLE }}</style></head>
<body><main>
<header><p class="${tone(saved.status)}"><span class="badge">${saved.status}</span></p><h1>${title}</h1>
<p class="dim">${day(info.created)} · ${[saved.provider, saved.speaker?.model].filter(Boolean).join(', ')} · run ${info.id}</p></header>
${saved.reason !== undefined && saved.reason !== saved.outcome?.text && html`<p class="${tone(saved.status)}">${excerpt(saved.reason)}</p>`}
${saved.outcome && html`<p class="said">${excerpt(saved.outcome.text)}</p>`}
${cards({ info, saved })}
<section><h2>Checks</h2>${checks(saved)}</section>
<section><h2>Cost</h2>${costChart(costs) ?? html`<p class="dim">The prices of this model are unknown.</p>`}</section>
<section><h2>Changes</h2>${files.length === 0 ? html`<p class="dim">No file was written with the file tools.</p>` : files.map(([path, all]) => fileItem(path, all))}</section>
<section><h2>Timeline</h2>${saved.totals.folds > 0 && html`<p class="dim">${FOLDS}</p>`}<ol class="steps">${steps.map((step) => stepItem(step, started))}</ol></section>
<footer>Written by Holdfast. Keys are masked, and long texts are shortened. Commands may have changed more files than are shown.</footer>
</main></body></html>
`;
  return page.html;
}

function tone(status: string): string {
  if (status === 'completed') return 'good';
  return status === 'failed' || status === 'blocked' ? 'bad' : 'warn';
}

function day(time: number): string {
  return `${new Date(time).toISOString().replace('T', ' ').slice(0, 16)} UTC`;
}

function cards({ saved }: FoundRun): Html {
  const { totals } = saved;
  const { cost, tokenUsage: usage } = totals;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const { spent = 0, everything = spent } = cost ?? {};
  const all: [string, string][] = [
    ['cost', cost ? money(spent) : 'unknown'],
    ['sending everything', cost ? money(everything) : 'unknown'],
    ['saved', everything > spent ? percent(1 - spent / everything) : 'nothing'],
    ['tool calls', String(totals.calls)],
    ['folds', String(totals.folds)],
    ['iterations', String(iterationsOf(saved))],
    ['tokens in, out', `${tokens(input)}, ${tokens(usage.outputTokens)}`],
    ['worked for', duration(totals.elapsedMs)],
    ['files changed', String(totals.filesChangedCount)],
  ];
  return html`<dl class="cards">${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function checks({ validation, status }: FoundRun['saved']): Html {
  if (validation.length === 0)
    return html`<p class="warn">Not checked${status === 'completed' ? ': only the model says that it is complete' : ' yet'}.</p>`;
  const item = ({ command, passed }: (typeof validation)[number]) =>
    html`<li class="${passed ? 'good' : 'bad'}">${passed ? '✓ passed' : '✗ failed'} <code>${excerpt(command)}</code></li>`;
  return html`<ul>${validation.map(item)}</ul>`;
}

/** Changes by file, in the order of the first one. */
function changesOf(steps: readonly Step[]): [string, Change[]][] {
  const files = new Map<string, Change[]>();
  for (const step of steps) {
    if (step.type !== 'call' || !step.change || step.failed !== false) continue;
    files.set(step.change.path, [...(files.get(step.change.path) ?? []), step.change]);
  }
  return [...files];
}
