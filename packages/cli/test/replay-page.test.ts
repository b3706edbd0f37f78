import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageOf } from '../src/replay/page/page.ts';
import { agentTalk, jsonLines } from './agent-talk.ts';
import { folderWith } from './holdfast.ts';
import { replayHere } from './replay-here.ts';

const BROWSERS = [
  process.env.HOLDFAST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const program = BROWSERS.find((path) => path !== undefined && existsSync(path));
if (!program)
  console.warn(
    'replay page: not opened, no Chromium was found: install it (apt-get install chromium) or set HOLDFAST_CHROMIUM',
  );

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

const folder = folderWith();
const path = join(folder, 'report.html');

/** Two conversations; the name and text of one would be markup if they were not escaped. */
async function writePage(): Promise<string> {
  const talks = [
    agentTalk(1, 40),
    agentTalk(2, 30).map((message) =>
      JSON.parse(
        JSON.stringify(message).replaceAll('src/area_2/', `src/${JSON.stringify(HOSTILE).slice(1, -1)}/area_2/`),
      ),
    ),
  ];
  const names = ['talk-0', `talk ${HOSTILE}`];
  const files = talks.map((talk, n) => {
    writeFileSync(join(folder, `talk-${n}.jsonl`), jsonLines(talk));
    return `talk-${n}.jsonl`;
  });
  const flags = { policy: 'everything,fold,sliding', budget: '3k,5k', reserve: '1k', html: path, advise: true };
  const { plan, jobs, report } = await replayHere(folder, files, flags, names);
  const remarks = [{ file: HOSTILE, line: 3, reason: 'skipped lines that are not JSON', count: 2 }];
  return pageOf(report, jobs, remarks, plan);
}

const page = await writePage();

test('text from transcripts never becomes markup in the page', () => {
  expect(page).not.toContain('<img');
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).toContain('talk &lt;img src=x onerror=&quot;window.hacked=1&quot;&gt;');
  expect(page).not.toMatch(/(?:src|href)="(?!#)/);
  expect(page).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;/);
});

/** Counts focusable elements without an accessible name. Runs in the page. */
const NAMELESS = `[...document.querySelectorAll('[tabindex], select, summary, a')]
  .filter((one) => !one.getAttribute('aria-label') && !one.textContent.trim()).length`;

/** The contrast of text and symbols with the background, and by how much the page overflows. Runs in the page. */
const LOOKS = `(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => Number(part) / 255);
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const against = (colour) => (Math.max(light(colour), paper) + 0.05) / (Math.min(light(colour), paper) + 0.05);
  const of = (name, property) => getComputedStyle(document.querySelector(name))[property];
  const texts = ['p', 'td', 'thead th', 'summary'].map((name) => of(name, 'color'));
  const signs = ['svg .tick', '.sign.c0', '.sign.c1', '.fold'].map((name) => of(name, 'fill'));
  return { contrast: [...texts, ...signs].map(against), overhang: document.documentElement.scrollWidth - innerWidth };
})()`;

/** By how much points of the charts overflow, and how many labels overlap. Runs in the page. */
const CHARTS = `(() => {
  const boxes = (name) => [...document.querySelectorAll('.pair figure')].map((one) =>
    [...one.querySelectorAll(name)].map((part) => part.getBoundingClientRect()).filter((box) => box.width > 0));
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
  const labels = boxes('text.label');
  return {
    labels: labels.flat().length,
    overlaps: labels.flatMap((all) => all.flatMap((a, n) => all.slice(n + 1).filter((b) => meet(a, b)))).length,
    overhang: Math.max(...boxes('.point > .sign').flat().map((box) => box.right)) - innerWidth,
  };
})()`;

interface Charts {
  readonly labels: number;
  readonly overlaps: number;
  readonly overhang: number;
}

describe.skipIf(!program)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    writeFileSync(path, page);
    browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox'] });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(
    options: { width?: number; colorScheme?: 'light' | 'dark' } = {},
  ): Promise<{ opened: Page; problems: string[] }> {
    const { width = 1200, colorScheme = 'light' } = options;
    const opened = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    const problems: string[] = [];
    opened.on('console', (message) => problems.push(message.text()));
    opened.on('pageerror', (error) => problems.push(String(error)));
    opened.on('request', (request) => {
      if (!request.url().startsWith('file:')) problems.push(`asked for ${request.url()}`);
    });
    await opened.goto(pathToFileURL(path).href);
    return { opened, problems };
  }

  test('opens without errors or network, and runs nothing from a transcript', async () => {
    const { opened, problems } = await open();
    expect(await opened.title()).toBe('Replay of 2 conversations · Holdfast');
    expect(await opened.locator('h2').allTextContents()).toEqual([
      'Cost, and what stays in the view',
      'All figures',
      'One conversation, call by call',
      'Skipped parts of the files',
    ]);
    expect(await opened.evaluate('window.hacked')).toBeUndefined();
    expect(await opened.locator('img').count()).toBe(0);
    expect(await opened.getByText(`talk ${HOSTILE}`).count()).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    await opened.close();
  });

  test('shows the chosen conversation and policy', async () => {
    const { opened } = await open();
    const shown = opened.locator('.panel:visible');
    expect(await shown.count()).toBe(1);
    expect(await shown.getAttribute('aria-label')).toBe('talk-0, fold at 3k');
    expect(await shown.locator('.fold').count()).toBeGreaterThan(1);
    expect(await shown.locator('.receipts tbody tr').count()).toBe(await shown.locator('.fold').count());
    await opened.getByLabel('Policy and budget').selectOption({ label: 'everything' });
    expect(await shown.getAttribute('aria-label')).toBe('talk-0, everything');
    expect(await shown.getByText('No folds.').count()).toBe(1);
    await opened.getByLabel('Conversation').selectOption({ index: 1 });
    expect(await shown.getAttribute('aria-label')).toBe(`talk ${HOSTILE}, everything`);
    await opened.close();
  });

  test('every point is reachable by keyboard and labelled, and tables follow the charts', async () => {
    const { opened } = await open();
    const points = opened.getByRole('group', { name: /^Cost and coverage/ }).locator('.point');
    expect(await points.count()).toBe(4);
    const first = opened.getByRole('img', { name: /^fold at 3k: cost 0\.\d{3}, coverage \d+\.\d%$/ });
    await first.focus();
    const label = () => opened.evaluate(`document.activeElement.getAttribute('aria-label')`);
    expect(await first.locator('.tip').isVisible()).toBe(true);
    await opened.keyboard.press('ArrowRight');
    expect(await label()).toMatch(/^fold at 5k: /);
    expect(await first.locator('.tip').isVisible()).toBe(false);
    await opened.keyboard.press('Tab');
    expect(await label()).toMatch(/^sliding at 3k: /);
    await opened.getByText('Show as a table: Cost and coverage').press('Enter');
    const table = opened.getByRole('region', { name: 'Cost and coverage, table' });
    expect(await table.locator('tbody tr').count()).toBe(4);
    const nameless = await opened.evaluate(NAMELESS);
    expect(nameless).toBe(0);
    await opened.close();
  });

  test('text is readable and nothing overflows, in light and dark, wide and narrow', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1200, 360]) {
        const { opened } = await open({ width, colorScheme });
        const { contrast, overhang } = await opened.evaluate<{ contrast: number[]; overhang: number }>(LOOKS);
        expect(Math.min(...contrast), `${colorScheme} ${contrast}`).toBeGreaterThan(4.5);
        expect(overhang, `${colorScheme} ${width}`).toBeLessThanOrEqual(0);
        await opened.close();
      }
    }
  });

  test('in a narrow window all points are visible and no labels overlap', async () => {
    for (const width of [1200, 400]) {
      const { opened } = await open({ width });
      const { labels, overlaps, overhang } = await opened.evaluate<Charts>(CHARTS);
      expect(labels > 0, `${width}`).toBe(width > 560);
      expect({ overlaps, hangs: overhang > 0 }, `${width}`).toEqual({ overlaps: 0, hangs: false });
      await opened.close();
    }
  });
});
