import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Serving, serving } from './serving.ts';

const PROGRAM = [
  process.env.HOLDFAST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
if (PROGRAM === undefined)
  console.log(
    'The page of holdfast serve is not tested: no Chromium was found: install it (apt-get install chromium) or set HOLDFAST_CHROMIUM.',
  );

let browser: Browser;
let served: Serving;
let page: Page;
const wrong: string[] = [];

beforeAll(async () => {
  if (PROGRAM === undefined) return;
  served = await serving();
  browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });
  page = await browser.newPage();
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (line) => void (line.type() === 'error' && wrong.push(line.text())));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await served?.close();
});

const shown = (place: string, text: string) => page.locator(place, { hasText: new RegExp(`^${text}$`) }).waitFor();

test.skipIf(PROGRAM === undefined)('a person talks to the crew, and sees lanes, gauges and what was said', async () => {
  await page.goto(served.url);
  await page.waitForSelector('[data-agent="clerk"]');
  await page.fill('#input', 'my disk <b>is</b> full');
  await page.press('#input', 'Enter');
  await shown('#status', 'complete');
  const said = await page.locator('.said').allInnerTexts();
  expect(said.map((text) => text.split('\n'))).toEqual([
    ['you', 'my disk <b>is</b> full'],
    ['lead', 'To the clerk. [ROUTE_CLERK]'],
    ['clerk', 'I look.', '→ look {}', 'I have seen it: my disk <b>is</b> full'],
  ]);
  const gauge = page.locator('[data-agent="clerk"] meter');
  expect(Number(await gauge.getAttribute('value'))).toBeGreaterThan(0);
  expect(await page.locator('[data-agent="clerk"] small').allInnerTexts()).toEqual([
    expect.stringMatching(/^\$0\.\d+$/),
    expect.stringMatching(/^3 messages, \d+ tokens, \d+%$/),
  ]);
  expect(await page.innerText('#sum')).toBe('history: 5 messages');
  // The page keeps the history: the next words go on from it.
  await page.fill('#input', 'and now?');
  await page.click('button');
  await shown('#sum', 'history: 10 messages');
  if (process.env.HOLDFAST_SHOT) await page.screenshot({ path: process.env.HOLDFAST_SHOT });
  expect(wrong).toEqual([]);
});

test.skipIf(PROGRAM === undefined)('what goes wrong is said, and the page goes on', async () => {
  served.standIn.fail('rate-limit');
  await page.fill('#input', 'a'.repeat(32_001));
  await page.click('button');
  await shown('#status', 'refused');
  expect(await page.locator('.said.wrong').last().innerText()).toContain('input: give at most 32000 characters');
  await page.fill('#input', 'shorter');
  await page.click('button');
  await shown('#status', 'complete');
});
