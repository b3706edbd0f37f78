import type { SessionEntry } from '@holdfast/sessions';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { CallList } from '../src/api/types.ts';
import { CHROMIUM, launch, open } from './browser.ts';
import { writeLongChat } from './long-chat.ts';
import { type ServedPage, servePage } from './serve-page.ts';

/** Pairs of measurements: enough for a steady median on a busy machine. */
const PAIRS = 15;

/** Milliseconds from leaving an empty page until another shows what is waited for, measured in the page itself. */
const OPENED = `(async (hash, ready) => {
  location.hash = '#/what';
  while (document.querySelector(ready)) await new Promise(requestAnimationFrame);
  const start = performance.now();
  location.hash = hash;
  while (!document.querySelector(ready)) await new Promise(requestAnimationFrame);
  return performance.now() - start;
})`;

/** Milliseconds for twenty steps through the list, each until its messages are there. */
const SCROLLED = `(async () => {
  scrollTo(0, 0);
  const start = performance.now();
  for (let step = 0; step < 20; step++) {
    scrollBy(0, 700);
    do await new Promise(requestAnimationFrame);
    while ([...document.querySelectorAll('.entry.message')].some((one) => !one.querySelector('.role')));
  }
  return performance.now() - start;
})()`;

/** Frees what the page no longer needs, so that no measurement pays for the one before. */
async function collectGarbage(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.detach();
}

/** Bytes of all texts, objects and lists that the page's script holds. Compiled code, which the engine adds at will, is not counted. */
async function heldBy(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  let text = '';
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => {
    text += chunk;
  });
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  const { snapshot, nodes } = JSON.parse(text) as HeapSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const counted = ['string', 'concatenated string', 'sliced string', 'object', 'array', 'closure', 'number'];
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let sum = 0;
  for (let at = 0; at < nodes.length; at += fields.length)
    if (counted.includes(types[0][nodes[at + type] ?? 0] ?? '')) sum += nodes[at + size] ?? 0;
  return sum;
}

interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly [readonly string[]] };
  };
  readonly nodes: readonly number[];
}

describe.skipIf(!CHROMIUM)('long sessions and long lists', () => {
  let browser: Browser;
  let served: ServedPage;
  beforeAll(async () => {
    browser = await launch();
    served = await servePage();
    await writeLongChat(served.store, 100);
    await writeLongChat(served.store, 10_000);
  }, 900_000);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  async function start(): Promise<Page> {
    const { page } = await open(browser, served.url, {}, served.origin);
    onTestFinished(() => page.context().close());
    await page.locator('.session').first().waitFor();
    return page;
  }
  /** How many times as long as `baseline` `work` takes: the median of pairs, after a warm-up, each from a clean heap. */
  async function ratio(page: Page, work: () => Promise<number>, baseline: () => Promise<number>): Promise<number> {
    const timed = async (one: () => Promise<number>) => {
      await collectGarbage(page);
      return await one();
    };
    for (const one of [work, baseline, work, baseline]) await timed(one);
    const ratios: number[] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      // Whatever else the machine does hits either one first.
      const early = pair % 2 === 0 ? await timed(work) : undefined;
      const base = await timed(baseline);
      ratios.push((early ?? (await timed(work))) / base);
    }
    return ratios.sort((a, b) => a - b)[(PAIRS - 1) / 2] ?? Number.NaN;
  }

  test('10,000 messages and 200 folds open and scroll within twice the time of 100 messages', async () => {
    const page = await start();
    const { folds, messages } = (await served.store.info('long-10000')) ?? { folds: 0, messages: 0 };
    expect(messages).toBe(10_000);
    expect(folds).toBeGreaterThanOrEqual(200);
    const opened = (id: string, ready: string) => async () => {
      const time = await page.evaluate<number>(`${OPENED}('#/s/${id}', '${ready}')`);
      await page.locator('.plot').first().waitFor();
      return time;
    };
    // The messages come first, then the charts, which show what a screen can show of 5,000 calls.
    for (const ready of ['.entry .said .role', '.plot'])
      expect(await ratio(page, opened('long-10000', ready), opened('long-100', ready)), ready).toBeLessThanOrEqual(2);
    const scrolled = (id: string) => async () => {
      await opened(id, '.plot')();
      await page
        .getByRole('button', { name: /messages? folded$/ })
        .first()
        .click();
      return page.evaluate<number>(SCROLLED);
    };
    expect(await ratio(page, scrolled('long-10000'), scrolled('long-100'))).toBeLessThanOrEqual(2);
    // Any of the 5,000 calls can be picked, also one that the charts leave out.
    const loaded = page.waitForResponse(/long-10000\/calls/);
    await opened('long-10000', '.plot')();
    const { calls, total } = (await (await loaded).json()) as CallList;
    expect([calls.length < 700, total]).toEqual([true, 5_000]);
    await page.getByRole('slider', { name: 'Call' }).fill('4321');
    await page.getByText(/^Call 4,321 of 5,000 sent .* for 8,641 of the history/).waitFor();
    await page
      .getByRole('button', { name: /messages? folded$/ })
      .first()
      .click();
    // Only what is near the screen exists, wherever the reader is.
    for (const place of [0.3, 0.7, 1]) {
      await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${place})`);
      await page.locator('.entry .said .role').first().waitFor();
      expect(await page.locator('.entry').count()).toBeLessThan(100);
      expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(8_000);
    }
  }, 300_000);

  test('the memory of the tab does not grow with what was read', async () => {
    const page = await start();
    await page.evaluate(`${OPENED}('#/s/long-10000', '.plot')`);
    await page
      .getByRole('button', { name: /messages? folded$/ })
      .first()
      .click();
    let loaded = 0;
    page.on('response', async (answer) => {
      if (answer.url().includes('/messages?')) loaded += (await answer.body().catch(() => '')).length;
    });
    const read = async () => {
      for (let place = 0; place < 1; place += 0.01) {
        await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${place})`);
        await expect.poll(() => page.getByText('Loading…', { exact: true }).count()).toBe(0);
      }
    };
    // The first time, the page learns the heights of rows. After that, it may only replace what it holds.
    await read();
    const [held, before] = [await heldBy(page), loaded];
    await read();
    await read();
    expect(loaded - before).toBeGreaterThan(1_000_000);
    expect((await heldBy(page)) - held).toBeLessThan((loaded - before) / 10);
  }, 300_000);

  test('an event of a live session loads only what is new, however many calls it has', async () => {
    const loadedAt = async (messages: number) => {
      const page = await start();
      await page.evaluate(`${OPENED}('#/s/long-${messages}', '.plot')`);
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await page
        .getByText(`Answer ${messages - 2}:`)
        .first()
        .waitFor();
      const sizes = new Map<string, number>();
      page.on('response', async (answer) => {
        const [, what = 'session'] = /long-\d+\/(\w+)/.exec(answer.url()) ?? [];
        const { length } = await answer.body().catch(() => '');
        sizes.set(what, (sizes.get(what) ?? 0) + length);
      });
      const { last = 0, id = '' } = (await served.store.info(`long-${messages}`)) ?? {};
      const tokens = { input: 100, output: 10 };
      const window = {
        seen: messages + 1,
        sent: 20,
        calibration: { slope: 0.3, squares: 0, products: 0 },
        historyTokens: 9_000,
      };
      await served.store.append(
        id,
        [
          { type: 'message', message: { role: 'user', content: 'one more' } },
          { type: 'usage', tokens, window },
        ],
        last,
      );
      await page.getByText(`Call ${(messages / 2 + 1).toLocaleString('en')} of`).waitFor();
      await page.getByText('one more').first().waitFor();
      return sizes;
    };
    const [short, long] = [await loadedAt(100), await loadedAt(10_000)];
    expect(long.get('calls')).toBeLessThan(1_000);
    const sum = (sizes: Map<string, number>) => [...sizes.values()].reduce((all, size) => all + size, 0);
    expect(sum(long) / sum(short)).toBeLessThanOrEqual(2);
  }, 120_000);

  test('10,000 sessions are listed within twice the time of 100', async () => {
    const few = await servePage();
    onTestFinished(() => few.close());
    const fill = async ({ store }: ServedPage, count: number) => {
      const entries: SessionEntry[] = [{ type: 'model', provider: 'x', model: 'm', dialect: 'openai-chat' }];
      for (let n = 0; n < count; n++) {
        const { id } = await store.create({ id: `s${n}`, title: `Task ${n}`, created: n + 1 });
        await store.append(id, entries, 0, [n + 1]);
      }
    };
    await fill(few, 100);
    await fill(served, 10_000);
    const [many, some] = [await start(), (await open(browser, few.url, {}, few.origin)).page];
    onTestFinished(() => some.context().close());
    const listed = (page: Page) => () => page.evaluate<number>(`${OPENED}('#/sessions', '.session')`);
    expect(await ratio(many, listed(many), listed(some))).toBeLessThanOrEqual(2);
    for (let step = 0; step < 40; step++) await many.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await expect.poll(() => many.locator('.session').count()).toBeGreaterThan(5);
    expect(await many.locator('.session').count()).toBeLessThan(100);
  }, 300_000);
});
