import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ReportData, reportPage } from '@holdfast/inspector/report';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings, CHROMIUM, type Look, launch, open, overhang, shoot } from '../../inspector/test/browser.ts';
import { PAYLOADS } from '../../inspector/test/xss-payloads.ts';
import { reportData } from '../src/replay/report-data.ts';
import { agentTalk, jsonLines } from './agent-talk.ts';
import { folderWith } from './holdfast.ts';
import { replayHere } from './replay-in-process.ts';

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

const folder = folderWith();
const path = join(folder, 'report.html');

let used = 0;
const nextPayload = () => {
  used += 40;
  return [HOSTILE, ...PAYLOADS.slice(used - 40, used)].join(' ');
};

/** Two conversations; names, paths and remarks would be markup if they were not escaped. */
async function writePage(): Promise<{ readonly page: string; readonly partlyPriced: ReportData }> {
  const talks = [
    agentTalk(1, 40),
    agentTalk(2, 30).map((message) =>
      JSON.parse(
        JSON.stringify(message).replaceAll(
          'src/area_2/',
          () => `src/${JSON.stringify(nextPayload()).slice(1, -1)}/area_2/`,
        ),
      ),
    ),
  ];
  const names = [`talk-0 ${PAYLOADS.join(' ')}`, `talk ${HOSTILE}`];
  const files = talks.map((talk, n) => {
    writeFileSync(join(folder, `talk-${n}.jsonl`), jsonLines(talk));
    return `talk-${n}.jsonl`;
  });
  const flags = {
    ...{ policy: 'everything,fold,sliding', budget: '3k,5k', reserve: '1k', html: path, advise: true },
    model: 'claude-sonnet-5',
  };
  const { plan, jobs, report } = await replayHere(folder, files, flags, names);
  const remarks = [HOSTILE, ...PAYLOADS.slice(0, 20)].map((file) => ({
    file,
    line: 3,
    reason: `skipped ${file}`,
    count: 2,
  }));
  const results = report.results.map((row) => ({ ...row, pricedConversations: 1 }));
  return {
    page: reportPage(`Replay of ${report.conversations} conversations`, reportData(report, jobs, remarks, plan)),
    partlyPriced: reportData({ ...report, results }, jobs, remarks, plan),
  };
}

const { page, partlyPriced } = await writePage();

test('text from transcripts is data in the page, never markup', () => {
  expect(page).not.toContain('<img');
  expect(page.match(/<script/g)).toHaveLength(2);
  expect(page).toContain('talk \\u003cimg src=x');
  expect(page).not.toMatch(/ (?:src|href)="/);
  expect(page).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src 'none';/);
});

test('dollars of only some conversations are not next to the cost of all', () => {
  expect(partlyPriced.columns.find(({ head }) => head === 'dollars')).toMatchObject({ isMain: false });
});

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  let browser: Browser;
  const address = pathToFileURL(path).href;
  beforeAll(async () => {
    writeFileSync(path, page);
    browser = await launch();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const opened = (look: Look = {}) => open(browser, address, look);

  test('opens with the verdict, without errors or network, and runs nothing from a transcript', async () => {
    const { page: report, problems } = await opened();
    expect(await report.title()).toBe('Replay of 2 conversations · Holdfast');
    expect(await report.locator('.verdict').innerText()).toMatch(
      /^At [35]k tokens Holdfast would have cost .+ and kept \d+% of the names that the next call used( and \d+% of the lines that it edited)?\.$/,
    );
    expect(await report.locator('h2').allTextContents()).toEqual([
      'Cost, and what stays in the view',
      'History against view',
      'All figures',
      'Skipped parts of the files',
    ]);
    for (const choice of await report.locator('select').all())
      for (let at = (await choice.locator('option').count()) - 1; at >= 0; at--) {
        await choice.selectOption({ index: at });
        await report.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
        expect(await report.evaluate('window.hacked')).toBeUndefined();
        expect(await report.locator('#app :is(img, script, iframe, object, embed, video, audio, style)').count()).toBe(
          0,
        );
        expect(await report.locator('a:not([href^="#"])').count()).toBe(0);
      }
    expect(used).toBeGreaterThan(PAYLOADS.length);
    const [, first = ''] = PAYLOADS;
    expect(await report.getByText(first).count()).toBeGreaterThan(0);
    expect(await report.getByText(HOSTILE).count()).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    await report.context().close();
  });

  test('shows the chosen conversation, policy and budget', async () => {
    const { page: report } = await opened();
    const picture = report.getByRole('img', { name: /^Over \d+ calls the history grew to/ });
    expect(await picture.getAttribute('aria-label')).toMatch(/with a budget of [35]k\. [1-9]\d* folds?\.$/);
    await report.getByText(/\d+ folds?, and what was missing after each/).click();
    expect(await report.locator('.folds > li').count()).toBeGreaterThan(1);
    await report.getByLabel('Policy and budget').selectOption({ label: 'everything' });
    expect(await report.getByText('No folds.').count()).toBe(1);
    await report.getByLabel('Conversation').selectOption({ index: 1 });
    expect(await picture.getAttribute('aria-label')).toMatch(/0 folds\.$/);
    await report.context().close();
  });

  test('every point is reachable by keyboard, labelled, and chooses what is shown', async () => {
    const { page: report } = await opened();
    const points = report.getByRole('group', { name: /^Names and numbers kept/ }).getByRole('button');
    expect(await points.count()).toBe(4);
    const first = points.and(
      report.getByRole('button', {
        name: /^fold at 3k: \d+(\.\d)?% of the cost of sending everything, kept \d+\.\d%$/,
      }),
    );
    await first.focus();
    // Lines are explained next to the chart, and to screen readers.
    await report.getByRole('group', { name: /The goal is 95%\.$/ }).waitFor();
    const chart = report.locator('figure', { hasText: 'Names and numbers kept' });
    await chart.getByText('goal: 95%').waitFor();
    await chart.getByText('best for its cost').waitFor();
    const label = () => report.evaluate(`document.activeElement.getAttribute('aria-label')`);
    await report.keyboard.press('ArrowRight');
    expect(await label()).toMatch(/^fold at 5k: /);
    await report.keyboard.press('Tab');
    expect(await label()).toMatch(/^sliding at 3k: /);
    await report.keyboard.press('Enter');
    const choice = report.getByLabel('Policy and budget');
    expect(await choice.locator('option:checked').textContent()).toBe('sliding at 3k');
    expect(await report.locator('tr.chosen').innerText()).toMatch(/^sliding\s+3k/);
    await report.getByText('Show as a table: history against view').press('Enter');
    expect(await report.getByLabel('Tokens by call, table').first().locator('tbody tr').count()).toBeGreaterThan(5);
    const figures = report.locator('section[aria-labelledby="figures"]');
    await figures.getByText('What the words mean').click();
    await figures.getByText('as a multiple of sending everything').waitFor();
    await report.getByRole('button', { name: /^Show all \d+ columns$/ }).click();
    expect(await report.getByRole('columnheader', { name: 'rewrites' }).count()).toBe(1);
    await report.context().close();
  });

  test('can be read at any width, in light and dark, and by screen readers', async () => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [400, 1400, 2_000]) {
        const { page: report, problems } = await opened({ width, colorScheme });
        expect(await overhang(report), `${colorScheme} ${width}`).toBe(0);
        expect(await axeFindings(report), `${colorScheme} ${width}`).toEqual([]);
        const table = report.getByLabel('All figures, table');
        expect(await table.getByRole('columnheader').allTextContents()).toContain('dollars');
        const cut = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('#figures').closest('section').querySelector('.scroll'))`;
        expect(await report.evaluate(cut), `${width}`).toBe(0);
        expect(problems).toEqual([]);
        await shoot(report, `report-${width}-${colorScheme}`);
        // One chart alone in its row must not grow with the page.
        await report.evaluate(`document.querySelector('.pair > :last-child').remove()`);
        expect((await report.locator('.scatter').boundingBox())?.width).toBeLessThan(640);
        await report.context().close();
      }
  });

  test('switches the theme', async () => {
    const { page: report } = await opened({ colorScheme: 'dark' });
    const paper = () => report.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await paper();
    await report.getByRole('button', { name: 'Switch to the light theme' }).click();
    expect(await paper()).not.toBe(dark);
    await report.context().close();
  });
});
