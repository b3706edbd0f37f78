import { createHash } from 'node:crypto';
import type { TranscriptRemark } from '@holdfast/agent/transcripts';
import { counted, tokens } from '../../view/amounts.ts';
import type { Combination, JobResult } from '../job.ts';
import type { Plan } from '../plan.ts';
import type { Report, ReportRow } from '../report.ts';
import { adviceLines, columnsFor, factLines, meaningsFor, remarkLines } from '../table.ts';
import { frontier } from './frontier.ts';
import { html, Markup } from './markup.ts';
import { SCRIPT, STYLE } from './style.ts';
import { fillChart, receipts, timeline } from './timeline.ts';

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const POLICY = `default-src 'none'; style-src ${hash(STYLE)}; script-src ${hash(SCRIPT)}`;

/** The report as one self-contained page. Text from transcripts is always escaped. Pure. */
export function pageOf(
  report: Report,
  jobs: readonly JobResult[],
  remarks: readonly TranscriptRemark[],
  plan: Plan,
): string {
  const rows = report.results.filter(({ policy }) => policy !== 'everything');
  const title = `Replay of ${counted(report.conversations, 'conversation')}`;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>${title} · Holdfast</title><style>${new Markup(STYLE)}</style></head>
<body><a class="skip" href="#figures">Skip to the figures</a><main>
<header><h1>${title}</h1><div class="facts">${factLines(report, plan).map((line) => html`<p>${line}</p>`)}</div><details><summary>What the figures mean</summary><dl>${meaningsFor(report).map(([word, meaning]) => html`<dt>${word}</dt><dd>${meaning}</dd>`)}</dl></details></header>
${adviceBox(report, plan)}
<h2 id="frontier">Cost, and what stays in the view</h2>
<div class="pair">${frontier(rows, 'coverage', plan.minCoverage)}${frontier(rows, 'spans')}</div>
<h2 id="figures">All figures</h2>${figuresTable(report)}
${details(jobs, plan)}
${remarks.length === 0 ? '' : html`<h2 id="left-out">Skipped parts of the files</h2><ul>${remarkLines(remarks).map((line) => html`<li>${line}</li>`)}</ul>`}
</main><script>${new Markup(SCRIPT)}</script></body></html>
`;
  return page.text;
}

function adviceBox({ advice, snippet }: Report, plan: Plan): Markup {
  if (!advice) return html``;
  const [first = '', ...rest] = adviceLines(advice, undefined, plan.minCoverage);
  const lines = rest.filter((line) => line !== '' && !line.startsWith('#'));
  return html`<section class="advice" aria-label="Advice"><p><strong>${first}</strong></p>${lines.map((line) => html`<p>${line.trim()}</p>`)}${snippet === undefined ? '' : html`<pre tabindex="0">${snippet}</pre>`}</section>`;
}

function figuresTable(report: Report): Markup {
  const { results, advice } = report;
  const columns = columnsFor(report);
  const isChosen = (row: ReportRow) =>
    advice?.type === 'choice' && advice.policy === row.policy && advice.budget === row.budget;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="All figures"><table><thead><tr>${columns.map(({ head }) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${results.map(
    (row) =>
      html`<tr${isChosen(row) ? new Markup(' class="chosen"') : ''}>${columns.map(({ cell }, at) => (at === 0 ? html`<th scope="row">${cell(row)}</th>` : html`<td>${cell(row)}</td>`))}</tr>`,
  )}</tbody></table></div>`;
}

/** A panel for each traced conversation under each policy and budget; the first is shown. */
function details(jobs: readonly JobResult[], { settings }: Plan): Markup {
  const traced = jobs.filter(({ traces }) => traces !== undefined).sort((a, b) => b.baseline.peak - a.baseline.peak);
  if (traced.length === 0) return html``;
  const choices = choicesOf(settings.combinations);
  const conversations = traced.map(
    ({ name, baseline }, at) =>
      html`<option value="${at}">${name} (${baseline.calls} calls, ${tokens(baseline.peak)})</option>`,
  );
  return html`<h2 id="conversations">One conversation, call by call</h2><p>${tracedText(traced.length)}</p>
<div class="controls" hidden><label for="conversation">Conversation<select id="conversation">${conversations}</select></label><label for="combination">Policy and budget<select id="combination">${choices.map(({ label, at }) => html`<option value="${at}">${label}</option>`)}</select></label></div>
<div>${traced.flatMap((job, conversation) => choices.map((choice) => panel(job, conversation, choice)))}</div>`;
}

interface Choice extends Combination {
  readonly label: string;
  readonly at: number;
}

/** Puts `everything` last, because nothing happens in it. */
function choicesOf(combinations: readonly Combination[]): Choice[] {
  const all = combinations.map((one, at) => ({
    ...one,
    at,
    label: one.budget === undefined ? one.policy : `${one.policy} at ${tokens(one.budget)}`,
  }));
  return [...all.filter(({ budget }) => budget !== undefined), ...all.filter(({ budget }) => budget === undefined)];
}

function tracedText(count: number): string {
  return count === 1 ? 'The longest conversation.' : `The ${count} longest conversations.`;
}

function panel({ name, traces = [] }: JobResult, conversation: number, { label, at, budget }: Choice): Markup {
  const calls = traces[at] ?? [];
  const history = calls.map((call) => call.history);
  return html`<section class="panel" data-conversation="${conversation}" data-combination="${at}" aria-label="${name}, ${label}">${timeline(calls, history, budget)}${fillChart(calls)}${receipts(calls)}</section>`;
}
