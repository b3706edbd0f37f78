import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PAIR_SCRIPT, type Serving, serving } from './serving.ts';

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
/** What the clerk waits for. */
let hold: Promise<void> = Promise.resolve();

beforeAll(async () => {
  if (PROGRAM === undefined) return;
  served = await serving(async (prompt) => {
    if (prompt.system.includes('You are clerk')) await hold;
    return PAIR_SCRIPT(prompt);
  });
  browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });
  page = await browser.newPage();
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (line) => void (line.type() === 'error' && wrong.push(line.text())));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await served?.close();
});

/** A picture to look at, in the folder that HOLDFAST_SHOTS names. */
async function shoot(name: string): Promise<void> {
  const folder = process.env.HOLDFAST_SHOTS;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

const shown = (place: string, text: string) => page.locator(place, { hasText: new RegExp(`^${text}$`) }).waitFor();

test.skipIf(PROGRAM === undefined)('shows lanes, gauges and messages while a person talks to the crew', async () => {
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
  await page.click('#send');
  await shown('#sum', 'history: 10 messages');
  await shoot('wide');
  expect(wrong).toEqual([]);
});

test.skipIf(PROGRAM === undefined)('shows problems and keeps working', async () => {
  served.standIn.fail('rate-limit');
  await page.fill('#input', 'a'.repeat(32_001));
  await page.click('#send');
  await shown('#status', 'refused');
  expect(await page.locator('.said.wrong').last().innerText()).toContain('input: must have at most 32000 characters');
  await page.fill('#input', 'shorter');
  await page.click('#send');
  await shown('#status', 'complete');
  expect(wrong.filter((line) => !line.includes('status of 400'))).toEqual([]);
});

/** Nothing looks as if it were still at work, and something can be said. */
const expectSettled = async () => {
  await page.locator('#send').waitFor();
  expect(await page.locator('#stop').isHidden()).toBe(true);
  expect(await page.locator('.lane.on').count()).toBe(0);
  expect(await page.locator('.said.agent').allInnerTexts()).not.toContain('clerk\n');
};

test.skipIf(PROGRAM === undefined)('stops a running request and continues the conversation', async () => {
  let open = () => {};
  hold = new Promise((resolve) => {
    open = resolve;
  });
  expect(await page.locator('#stop').isHidden()).toBe(true);
  await page.fill('#input', 'wait');
  await page.click('#send');
  await page.waitForSelector('[data-agent="clerk"].on');
  expect(await page.locator('#send').isHidden()).toBe(true);
  await shoot('busy');
  await page.click('#stop');
  await shown('#status', 'cancelled');
  expect(await page.locator('.said.wrong').last().innerText()).toContain('the request was cancelled');
  expect(served.server.active()).toBe(0);
  await expectSettled();
  open();
  await page.fill('#input', 'go on');
  await page.click('#send');
  await shown('#status', 'complete');
  expect(await page.locator('.said').last().innerText()).toContain('I have seen it');
});

test.skipIf(PROGRAM === undefined)(
  'a refused message can be sent again; the page says when the server is gone',
  async () => {
    await page.fill('#input', 'b'.repeat(32_001));
    await page.click('#send');
    await shown('#status', 'refused');
    await expectSettled();
    expect(await page.inputValue('#input')).toHaveLength(32_001);
    await page.route('**/api/crew/stream', (route) => route.abort());
    await page.fill('#input', 'hello');
    await page.click('#send');
    await shown('#status', 'failed');
    expect(await page.locator('.said.wrong').last().innerText()).toContain('The server cannot be reached');
    await expectSettled();
    await page.unroute('**/api/crew/stream');
    await page.fill('#input', 'hello again');
    await page.click('#send');
    await shown('#status', 'complete');
    await expectSettled();
  },
);

test.skipIf(PROGRAM === undefined)('keeps everything within reach on a narrow screen', async () => {
  await page.setViewportSize({ width: 360, height: 640 });
  // The newest words stay in view.
  const newest = page.locator('.said').last();
  await expect.poll(async () => ((await newest.boundingBox())?.y ?? 999) < 400).toBe(true);
  await shoot('narrow');
  for (const place of ['#input', '#send', '#lanes', '#talk']) {
    const box = await page.locator(place).boundingBox();
    expect([place, (box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? 999) <= 360]).toEqual([place, true, true]);
    expect([place, (box?.y ?? -1) >= 0, (box?.y ?? 0) + (box?.height ?? 999) <= 640]).toEqual([place, true, true]);
  }
});
