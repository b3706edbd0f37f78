import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { SOAK } from '../../../scripts/soak.ts';

/** The browser's program; undefined if none is installed. */
export const CHROMIUM = [
  process.env.HOLDFAST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
if (CHROMIUM === undefined)
  console.warn(
    'Pages are not opened: no Chromium was found: install it (apt-get install chromium) or set HOLDFAST_CHROMIUM',
  );

/** A browser, or rejects if there is none. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
}

/** How a page is opened. */
export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** Widths and themes at which every feature is used. The long form has all of them, in both themes. */
export const LOOKS: readonly Required<Omit<Look, 'height'>>[] = [400, 1400, 2_000].flatMap((width) =>
  (['light', 'dark'] as const)
    .filter((colorScheme) => SOAK || (colorScheme === 'light') === (width === 1400))
    .map((colorScheme) => ({ width, colorScheme })),
);

/** The title of a test at a look. Pure. */
export function titleAt(title: string, { width, colorScheme }: (typeof LOOKS)[number]): string {
  return `${title} (${width} px, ${colorScheme})`;
}

/** A page, and everything that it should not have done: errors, and requests to anywhere else. */
export interface Opened {
  readonly page: Page;
  readonly problems: string[];
}

/** Opens an address and notes console errors, failures, and requests that do not start with `within`. */
export async function open(browser: Browser, url: string, look: Look = {}, within = url): Promise<Opened> {
  const { width = 1400, height = 900, colorScheme = 'light' } = look;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (line) => void (['error', 'warning'].includes(line.type()) && problems.push(line.text())));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(within) && !request.url().startsWith('data:,'))
      problems.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems };
}

/** Findings of axe-core that are serious or critical, each in a line. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate<{ violations: readonly Violation[] }>('axe.run({ resultTypes: ["violations"] })');
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html, failureSummary }) => `${html} ${failureSummary}`)
          .join(' | ')}`,
    );
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** By how many pixels the page is wider than the screen. */
export function overhang(page: Page): Promise<number> {
  return page.evaluate('Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)');
}

/** Most elements of a page that the Tab key visits. */
const MOST_TABS = 300;

/** Presses Tab until an element has the focus. Rejects if that never happens. */
export async function tabTo(page: Page, place: Locator): Promise<void> {
  await place.waitFor();
  for (let pressed = 0; pressed < MOST_TABS; pressed++) {
    if ((await place.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never came to ${place}`);
}

/** A picture to look at, in the folder that HOLDFAST_SHOTS names. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.HOLDFAST_SHOTS;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
