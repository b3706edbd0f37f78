import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import {
  axeFindings,
  CHROMIUM,
  LOOKS,
  type Look,
  launch,
  type Opened,
  open,
  overhang,
  shoot,
  tabTo,
  titleAt,
} from './browser.ts';
import { type ServedPage, servePage } from './serve-page.ts';
import { type WrittenSession, writeSession } from './write-session.ts';

/** For tests that take long: a narrow and a wide screen, dark and light. */
const FEWER = SOAK ? LOOKS : LOOKS.slice(0, 2);
const LINES = Array.from({ length: 24 }, (_, i) => 20 + (i % 5) * 12);

describe.skipIf(!CHROMIUM)('pages of the inspector', () => {
  let browser: Browser;
  let served: ServedPage;
  let session: WrittenSession;
  const undone: string[] = [];
  beforeAll(async () => {
    browser = await launch();
    const travel = (way: 'undo' | 'redo') => async (id: string) => {
      undone.push(way);
      return id === session.id && session.travel(way);
    };
    const owner = {
      isAtWork: (id: string) => id === session?.id,
      whyNot: (id: string) => (id === session.id ? undefined : 'it is not open here'),
      undo: travel('undo'),
      redo: travel('redo'),
    };
    served = await servePage({ owner, token: 'a-token' });
    session = await writeSession(served.store, { id: 'login' });
    await session.pin(0);
    await session.say(...LINES);
    for (let n = 0; n < 40; n++) {
      const time = Date.now() - (n + 1) * 3_600_000;
      const { id } = await served.store.create({ id: `other-${n}`, title: `Another task ${n}`, created: time });
      const model = { type: 'model', provider: n % 2 ? 'crew' : 'x', model: `model-${n % 3}` } as const;
      const usage = { type: 'usage', tokens: { input: n, output: 1 }, cost: n } as const;
      await served.store.append(id, [{ ...model, dialect: 'openai-chat' }, usage], 0, [time, time]);
    }
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  /** Opens a place of the application, with the token in its address as the command gives it. */
  async function at(place: string, look: Look = {}): Promise<Opened> {
    const opened = await open(browser, `${served.url}#token=a-token`, look, served.origin);
    onTestFinished(() => opened.page.context().close());
    await opened.page.locator('.session').first().waitFor();
    if (place !== '') await opened.page.evaluate(`location.hash = ${JSON.stringify(place)}`);
    return opened;
  }
  const rows = (page: Page) => page.locator('.session .name');

  type At = (place: string) => Promise<Opened>;
  /** A test of what people do, at every look; nothing may hang over the edge at its end. */
  function feature(title: string, use: (at: At, look: Look) => Promise<void>, timeout?: number, looks = LOOKS): void {
    for (const look of looks)
      test(titleAt(title, look), { ...(timeout === undefined ? {} : { timeout }) }, async () => {
        const pages: Page[] = [];
        await use(async (place) => {
          const opened = await at(place, look);
          pages.push(opened.page);
          return opened;
        }, look);
        for (const page of pages) expect(await overhang(page)).toBe(0);
      });
  }

  feature('asks for the token, and shows why it was refused', async (_, look) => {
    const { page } = await open(browser, served.url, look, served.origin);
    onTestFinished(() => page.context().close());
    await page.getByText('This server asks for its token').waitFor();
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('This is not the token of the server').waitFor();
    expect(await overhang(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByLabel('Token').fill('a-token');
    await page.keyboard.press('Enter');
    await rows(page).first().waitFor();
  });

  feature('lists sessions, live ones first, searched, filtered and sorted', async (at) => {
    const { page, problems } = await at('');
    expect(await rows(page).first().textContent()).toContain('Find out why the login fails');
    expect(await page.locator('.session').first().locator('.live').count()).toBe(1);
    await page.getByText(/^41 sessions, \$780\.\d\d in all$/).waitFor();
    await page.getByLabel('Sort by').selectOption('cost');
    await page.getByRole('article', { name: 'Another task 39' }).waitFor();
    await page.getByLabel('Kind').selectOption('crew');
    await page.getByText('20 matches, $400.00 in all').waitFor();
    await page.getByLabel('Kind').selectOption('');
    await page.getByRole('combobox', { name: 'Folds' }).selectOption('1 and more');
    await page.getByText(/^1 match\b/).waitFor();
    expect(await rows(page).allTextContents()).toEqual([expect.stringContaining('Find out why the login fails')]);
    await page.getByRole('combobox', { name: 'Folds' }).selectOption('any');
    await page.getByRole('combobox', { name: 'Cost' }).selectOption('$10 and more');
    await page.getByText(/^30 matches, /).waitFor();
    await page.getByRole('combobox', { name: 'Active' }).selectOption('last 24 hours');
    await page.getByText(/^13 matches, /).waitFor();
    await page.getByRole('combobox', { name: 'Active' }).selectOption('any time');
    await page.getByRole('combobox', { name: 'Cost' }).selectOption('any');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('value_3_1');
    await page.locator('.session .hit').waitFor();
    expect(await rows(page).count()).toBe(1);
    expect(await page.locator('.hit').innerText()).toContain('value_3_1');
    await page.getByRole('searchbox').fill('nothinglikethis');
    await page.getByText('No session matches').waitFor();
    expect(problems).toEqual([]);
  });

  feature('is operated by keyboard: j, k, Enter, u, ?, t', async (at, { colorScheme }) => {
    const { page } = await at('');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /Find out why the login fails/ }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('t');
    expect(await page.locator('html').getAttribute('data-theme')).toBe(colorScheme === 'dark' ? 'light' : 'dark');
    await page.keyboard.press('u');
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
  });

  feature('a link that is followed right after typing is not undone by the search', async (at) => {
    const { page } = await at('');
    await page.clock.install();
    await page.getByRole('searchbox').fill('login');
    await page.evaluate(`location.hash = '#/s/login'`);
    await page.getByRole('heading', { level: 1, name: /Find out why/ }).waitFor();
    await page.clock.runFor(1_000);
    expect(page.url()).toContain('#/s/login');
  });

  feature('a session answers the first questions and aligns the history with the view', async (at, { width }) => {
    const { page, problems } = await at('#/s/login');
    const stat = (name: string) => page.locator('.stat', { hasText: name });
    await stat('Is it healthy?').getByText('Within budget').waitFor();
    expect(await stat('What did it cost?').innerText()).toContain('$0.24');
    await stat('What was forgotten?')
      .getByText(/^\d+ of \d+$/)
      .waitFor();
    await page.getByRole('img', { name: /^Over 24 calls the history grew to .* with a budget of 6k/ }).waitFor();
    const first = page.locator('.entry.message').first();
    await first.getByText('as it is').waitFor();
    await first.getByText('pinned').first().waitFor();
    const [left, right] = [await first.locator('.said').boundingBox(), await first.locator('.seen').boundingBox()];
    // Side by side, or one below the other where there is no room.
    if (width === 400) expect(right?.y).toBeGreaterThanOrEqual((left?.y ?? 0) + (left?.height ?? 0));
    else expect([left?.y, left?.height]).toEqual([right?.y, right?.height]);
    // Folded messages are behind their handle, one click away.
    if (width === 400) await page.locator('.entry').last().scrollIntoViewIfNeeded();
    const before = await page.locator('.entry.message').count();
    await page
      .getByRole('button', { name: /messages? folded/ })
      .first()
      .click();
    await expect.poll(() => page.locator('.entry.message').count()).toBeGreaterThan(before);
    await page.locator('.entry.message.folded .tag', { hasText: 'folded' }).first().waitFor();
    expect(await page.locator('.seen.gone q', { hasText: 'Note on' }).count()).toBe(0);
    // Which column is which can be read wherever the reader is; on a narrow screen there is one.
    for (const name of width === 400 ? [] : ['History', 'What the model sees']) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      const box = await page.getByRole('heading', { level: 2, name, exact: true }).boundingBox();
      expect((box?.y ?? -1) >= 0 && (box?.y ?? 9_999) < 200).toBe(true);
    }
    await page.evaluate('scrollTo(0, 0)');
    if (width === 400) await page.locator('.entry').first().scrollIntoViewIfNeeded();
    // Lines of the note lead to the messages they speak for.
    await page.getByRole('button', { name: 'Read the note' }).first().click();
    const link = page.locator('.seen.note .note-lines li button.handle').nth(3);
    const handle = await link.textContent();
    await link.click();
    await page.locator('.entry.found', { hasText: handle ?? '' }).waitFor();
    expect(problems).toEqual([]);
  });

  feature('scrubs to any call, by keyboard and slider, and shows the exact request', async (at) => {
    const { page } = await at('#/s/login');
    await page.getByText('Call 24 of 24').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('Call 23 of 24').waitFor();
    await page.keyboard.press('Home');
    await page.getByText('Call 1 of 24').waitFor();
    await expect.poll(() => page.locator('.entry').count()).toBe(1);
    await page.getByRole('slider', { name: 'Call' }).fill('9');
    await page.getByText('Call 9 of 24').waitFor();
    await expect.poll(() => page.url()).toContain('call=9');
    await page.locator('.stat', { hasText: 'What was forgotten?' }).getByText('messages at call 9').waitFor();
    await page.getByRole('button', { name: 'Show the exact request' }).click();
    await page.getByLabel('as sent, without indentation').check();
    const body = await page.locator('.request').textContent();
    expect(JSON.parse(body ?? '')).toMatchObject({ messages: session.views[8] });
    await page.getByRole('button', { name: 'Newest' }).click();
    await page.getByText('Call 24 of 24').waitFor();
    // Far down in the history, the request comes on the screen too.
    await page.getByRole('button', { name: 'Hide the request' }).click();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.getByRole('button', { name: 'Show the exact request' }).click();
    const top = `(document.querySelector('.request')?.getBoundingClientRect().top ?? Infinity)`;
    await expect.poll(() => page.evaluate(`${top} >= 0 && ${top} < innerHeight`)).toBe(true);
  });

  feature('searches all of a session and recalls what is folded', async (at) => {
    const { page } = await at('#/s/login');
    await page.getByText('Call 24 of 24').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('value_2_3');
    const hit = page.locator('.hits li').first();
    await hit.getByText('folded').waitFor();
    await hit.getByRole('button', { name: 'Recall' }).click();
    await hit.locator('pre mark', { hasText: 'value_2_3' }).waitFor();
    await hit.locator('.recalled', { hasText: 'value_2_3' }).waitFor();
    await hit.locator('button.handle').click();
    await page.locator('.entry.found').waitFor();
    await page.getByRole('searchbox').fill('m2');
    await page.locator('.recalled', { hasText: 'value_0_0' }).waitFor();
    const recalled = page.waitForResponse(/\/recall\/m2\.1$/);
    await page.getByRole('searchbox').fill('m2.1');
    expect((await recalled).ok()).toBe(true);
    await page.getByRole('searchbox').fill('m2-m4');
    await page.locator('.recalled', { hasText: 'value_1_0' }).waitFor();
    await page.getByRole('searchbox').fill('m999');
    await page.getByRole('status').filter({ hasText: 'The session has no message m999.' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  test('on a phone the history comes soon, and the other charts and folds are one tap away', async () => {
    const { page } = await at('#/s/login', { width: 400, height: 860 });
    await page.locator('.plot').first().waitFor();
    await page.getByText('Call 24 of 24').waitFor();
    const top = async (what: string) => (await page.locator(what).first().boundingBox())?.y ?? 0;
    // Beside each other: what is healthy, and what it cost.
    const [healthy, cost] = [page.locator('.stat').nth(0), page.locator('.stat').nth(1)];
    expect((await healthy.boundingBox())?.y).toBe((await cost.boundingBox())?.y);
    expect(await top('.columns')).toBeLessThan(2 * 860);
    expect(await page.getByRole('heading', { name: 'Cost so far' }).isVisible()).toBe(false);
    await page.getByText('Cost and cache over time').click();
    await page.getByRole('heading', { name: 'Cost so far' }).waitFor();
    await expect.poll(() => page.locator('.more-charts svg path').count()).toBeGreaterThan(0);
    expect(await overhang(page)).toBe(0);
    await page.getByText(/^Folds \(\d+\)$/).click();
    await page.getByRole('link', { name: 'Fold 1', exact: true }).waitFor();
  });

  test('under each chart, the figures of the call on show', async () => {
    const { page } = await at('#/s/login');
    const lines = page.locator('.tipline');
    await lines.filter({ hasText: /^call 24: history .*k, view .*k$/ }).waitFor();
    await lines.filter({ hasText: /^call 24: spent \$0\.24/ }).waitFor();
    await page.keyboard.press('Home');
    await lines.filter({ hasText: /^call 1: spent \$0\.010/ }).waitFor();
    await lines.filter({ hasText: /^call 1: .*cache/ }).waitFor();
  });

  test('says as a sentence why a fold cannot be undone here', async () => {
    const other = await writeSession(served.store, { id: 'elsewhere' });
    await other.say(20, 600, 20);
    const { page } = await at('#/s/elsewhere/fold/1');
    await page.getByText('It is not open here.', { exact: true }).waitFor();
  });

  feature('follows a live session', async (at) => {
    const { page } = await at('#/s/login');
    const calls = session.views.length;
    await page.getByText(`Call ${calls} of ${calls}`).waitFor();
    await session.say(20);
    await page.getByText(`Call ${calls + 1} of ${calls + 1}`).waitFor();
  });

  feature(
    'a fold shows what went, what stayed and why, its note, and can be undone and redone here',
    async (at, { width }) => {
      const { page, problems } = await at('#/s/login');
      const folds = page.getByText(/^Folds \(\d+\)$/);
      // On a phone, the list starts closed.
      await (width === 400 ? folds.click() : folds.waitFor());
      await page
        .getByRole('link', { name: /^Fold \d+$/ })
        .first()
        .click();
      await page.getByRole('heading', { level: 1, name: /^Fold \d+$/ }).waitFor();
      const went = page.locator('section', { has: page.getByRole('heading', { name: /^What was removed: \d+$/ }) });
      await went.getByRole('button', { name: 'Recall' }).first().click();
      await went.locator('.recalled').waitFor();
      await page.locator('section', { hasText: 'What stayed, and why' }).getByText('pinned').first().waitFor();
      expect(await page.locator('.diff .added').count()).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Undo the newest fold' }).click();
      await page.getByText('undone', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Redo' }).click();
      await expect.poll(() => page.getByText('undone', { exact: true }).count()).toBe(0);
      expect(undone.splice(0)).toEqual(['undo', 'redo']);
      await page.evaluate(`location.hash = '#/s/login/fold/1'`);
      await page.getByRole('heading', { level: 1, name: 'Fold 1' }).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('heading', { level: 1, name: 'Fold 2' }).waitFor();
      await page.keyboard.press('u');
      await page.getByText(/^Call \d+ of \d+$/).waitFor();
      expect(problems).toEqual([]);
    },
  );

  feature('goes from fold to fold without waiting for each to load', async (at) => {
    const { page } = await at('');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/sessions/**', (route) => released.then(() => route.continue()));
    await page.evaluate(`location.hash = '#/s/login/fold/1'`);
    await page.getByRole('heading', { level: 1, name: 'Fold 1' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { level: 1, name: 'Fold 2' }).waitFor();
    release();
    await page.locator('.turns li').first().waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('heading', { level: 1, name: 'Fold 1' }).waitFor();
    const { folds } = (await served.store.info('login')) ?? { folds: 0 };
    await page.evaluate(`location.hash = '#/s/login/fold/${folds}'`);
    await page.getByRole('heading', { level: 1, name: `Fold ${folds}` }).waitFor();
    await page.locator('.turns li').first().waitFor();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('button', { name: 'Next fold' }).isDisabled()).toBe(true);
    await page.getByRole('heading', { level: 1, name: `Fold ${folds}` }).waitFor();
  });

  feature('a fold shows what it shortened before and after', async (at, { width, colorScheme }) => {
    const long = await writeSession(served.store, { id: `long-${width}-${colorScheme}` });
    await long.say(20, 600, 20);
    const { page, problems } = await at(`#/s/${long.id}/fold/1`);
    await page.getByRole('button', { name: 'Before and after' }).first().click();
    const [before, after] = ['before', 'after'].map((side) => page.locator(`section[aria-label$=" ${side}"]`).last());
    await before?.waitFor();
    const whole = { name: 'Show all 600 lines' };
    expect(await before?.getByRole('button', whole).count()).toBe(1);
    expect(await after?.getByRole('button', whole).count()).toBe(0);
    // The newest result was too large for any view: its head and tail are left, which are more lines than a row shows.
    await after?.getByRole('button', { name: /^Show all \d\d lines$/ }).click();
    expect(await after?.innerText()).toMatch(/value_1_0 [\s\S]+ recall m4 [\s\S]+value_1_599/);
    expect(problems).toEqual([]);
  });

  feature('compares two policies side by side', async (at) => {
    const { page, problems } = await at('#/s/login/compare');
    await page.getByText('Nothing compared yet').waitFor();
    await page.getByLabel('Policy').nth(1).selectOption('sliding');
    await page.getByLabel('Budget in tokens').nth(0).fill('6000');
    await page.getByLabel('Budget in tokens').nth(1).fill('6000');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.verdict').waitFor({ timeout: 60_000 });
    expect(await page.locator('.verdict').innerText()).toMatch(/^Fold at 6k costs .* sliding at 6k/);
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'figure',
      'fold at 6k',
      'sliding at 6k',
      'everything',
    ]);
    expect(await page.locator('.strip').count()).toBe(2);
    await page.locator('.card', { hasText: 'What each sees' }).getByRole('slider').fill('3');
    await page.getByText('call 3 of').waitFor();
    expect(problems).toEqual([]);
  });

  feature('a session of one call has figures, and no empty charts', async (at, { width, colorScheme }) => {
    const short = await writeSession(served.store, { id: `short-${width}-${colorScheme}` });
    await short.say(3);
    const { page, problems } = await at(`#/s/${short.id}`);
    await page.getByText('Call 1 of 1').waitFor();
    await page.locator('.stat', { hasText: 'What did it cost?' }).getByText('as much as sending everything').waitFor();
    expect(await page.locator('.plot').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  feature('says what is missing: no such session, no such page, a server that is gone', async (at) => {
    const { page } = await at('#/s/nowhere');
    await page.getByText('This session does not exist').waitFor();
    const place = async () => (await page.locator('.state').boundingBox())?.x;
    const gone = await place();
    await page.evaluate(`location.hash = '#/what/is/this'`);
    await page.getByText('There is no such page').waitFor();
    expect(await place()).toBe(gone);
    await page.route('**/api/**', (route) => route.abort());
    await page.evaluate(`location.hash = '#/s/login'`);
    await page
      .getByText(/The server cannot be reached/)
      .first()
      .waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('heading', { level: 1, name: /Find out why/ }).waitFor();
  });

  feature('says that it lost the server, and shows what happened meanwhile once it is back', async (_, look) => {
    const own = await servePage();
    onTestFinished(() => own.close());
    const { id } = await own.store.create({ id: 'one', title: 'One task' });
    const say = async (content: string) =>
      own.store.append(
        id,
        [{ type: 'message', message: { role: 'user', content } }],
        (await own.store.info(id))?.last ?? 0,
      );
    await say('before the break');
    for (const [place, text] of [
      ['#/s/one', 'said in the break'],
      ['#/sessions', 'A task of the break'],
    ] as const) {
      const { page } = await open(browser, `${own.url}${place}`, look, own.origin);
      onTestFinished(() => page.context().close());
      await page
        .getByText(place === '#/sessions' ? 'One task' : 'before the break')
        .first()
        .waitFor();
      await own.pause();
      await page.getByText('What you see may be out of date').waitFor();
      expect(await overhang(page)).toBe(0);
      await (place === '#/sessions' ? own.store.create({ id: 'two', title: text }) : say(text));
      await own.resume();
      await page.getByText(text).first().waitFor();
      await page.getByText('What you see may be out of date').waitFor({ state: 'detached' });
    }
  });

  feature(
    'everything that opens can be read by screen readers',
    async (at) => {
      const { page, problems } = await at('');
      const fine = async (where: string) => expect(await axeFindings(page), where).toEqual([]);
      await page.keyboard.press('/');
      await page.keyboard.type('value_3_1');
      await page.locator('.session .hit').first().waitFor();
      await fine('found sessions');
      await page.evaluate(`location.hash = '#/s/login?call=20'`);
      await page.getByText('Call 20 of').waitFor();
      await page.getByRole('button', { name: 'Show the exact request' }).click();
      await page.locator('.request').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('value_2_3');
      await page.locator('.hits li').first().getByRole('button', { name: 'Recall' }).click();
      await page.locator('.recalled').waitFor();
      await fine('request and recall');
      await page.getByRole('searchbox').fill('');
      await page.getByRole('button', { name: 'Hide the request' }).click();
      await page.evaluate(`document.querySelector('.columns').scrollIntoView()`);
      await page.locator('.entry.folded button').first().click();
      await page.locator('.entry.message.folded').first().waitFor();
      await page.getByRole('button', { name: 'Read the note' }).first().click();
      await page.locator('.seen.note').waitFor();
      await fine('folded messages and the note');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await fine('keys');
      await page.keyboard.press('Escape');
      await page.evaluate(`location.hash = '#/s/login/compare'`);
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.locator('.verdict').waitFor({ timeout: 60_000 });
      await fine('a comparison');
      expect(problems).toEqual([]);
      await page.evaluate(`location.hash = '#/s/nowhere'`);
      await page.getByText('This session does not exist').waitFor();
      await fine('an error');
    },
    120_000,
    FEWER,
  );

  feature(
    'keeps the list in order while others write: what does not pass the filters stays out',
    async (at, { width, colorScheme }) => {
      const { page } = await at('#/sessions?kind=crew');
      await page.getByText('20 matches').waitFor();
      const { store } = served;
      const title = `Written to just now ${width} ${colorScheme}`;
      const old = await store.info('other-1');
      const { id } = await store.create({ id: `new-${width}-${colorScheme}`, title: 'A new chat' });
      await store.append(id, [{ type: 'message', message: { role: 'user', content: 'hello' } }], 0);
      await store.append('other-1', [{ type: 'title', title }], old?.last ?? 0);
      await expect.poll(() => rows(page).first().textContent()).toBe(title);
      expect(await page.locator('.session').first().locator('.live').count()).toBe(1);
      expect(await rows(page).allTextContents()).not.toContain('A new chat');
      await page.getByLabel('Kind').selectOption('');
      await expect.poll(() => rows(page).allTextContents()).toContain('A new chat');
      await store.delete(id);
    },
  );

  feature('every page can be read', async (at, { width, colorScheme }) => {
    const places = { sessions: '', session: '#/s/login', fold: '#/s/login/fold/2', compare: '#/s/login/compare' };
    const ready = { sessions: '.session', session: '.columns', fold: '.turns li', compare: 'form' } as const;
    const { page, problems } = await at('');
    for (const [name, place] of Object.entries(places)) {
      await page.evaluate(`location.hash = ${JSON.stringify(place || '#/sessions')}`);
      await page
        .locator(ready[name as keyof typeof ready])
        .first()
        .waitFor();
      if (name === 'session') await page.evaluate(`document.querySelector('.columns').scrollIntoView()`);
      if (name === 'session') await page.locator('.entry.folded').first().waitFor();
      expect(await overhang(page), name).toBe(0);
      expect(await axeFindings(page), name).toEqual([]);
      await shoot(page, `${name}-${width}-${colorScheme}`);
    }
    expect(problems).toEqual([]);
  });

  feature(
    'pages that load, or that the server does not answer, can be read by screen readers',
    async (at) => {
      const { page } = await at('');
      const places = ['#/sessions?kind=run', '#/s/login', '#/s/login/fold/2', '#/s/login/compare', '#/crew/login'];
      for (const [state, stop] of [
        [/^Loading/, () => {}],
        [/The server cannot be reached/, (route: Route) => route.abort()],
        [/is broken/, (route: Route) => route.fulfill({ status: 500, json: { status: 500, detail: 'It is broken.' } })],
      ] as const) {
        await page.route('**/api/sessions**', stop);
        await page.route('**/api/sessions/**', stop);
        for (const place of places) {
          await page.evaluate(`location.hash = '#/what'`);
          await page.getByText('There is no such page').waitFor();
          await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
          await page
            .getByText(state)
            .first()
            .waitFor({ timeout: 5_000 })
            .catch(() => expect.fail(`${place} does not say ${state}`));
          expect(await overhang(page), place).toBe(0);
          expect(await axeFindings(page), `${place} ${state}`).toEqual([]);
        }
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      }
    },
    120_000,
    FEWER,
  );

  feature('compares and recalls by keyboard alone', async (at) => {
    const { page, problems } = await at('#/s/login');
    await page.getByText(/^Call \d+ of \d+$/).waitFor();
    await tabTo(page, page.getByRole('link', { name: /^Compare/ }));
    await page.keyboard.press('Enter');
    await page.getByText('Nothing compared yet').waitFor();
    await tabTo(page, page.getByLabel('Budget in tokens').nth(0));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('6000');
    await tabTo(page, page.getByLabel('Policy').nth(1));
    await page.keyboard.type('sliding');
    await tabTo(page, page.getByLabel('Budget in tokens').nth(1));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('6000');
    await page.keyboard.press('Enter');
    await page.locator('.verdict').waitFor({ timeout: 60_000 });
    expect(await page.locator('.verdict').innerText()).toMatch(/^Fold at 6k costs .* sliding at 6k/);
    const calls = page.locator('.card', { hasText: 'What each sees' });
    await tabTo(page, calls.getByRole('slider'));
    await page.keyboard.press('Home');
    await calls.getByText(/call 1 of/).waitFor();
    await page.keyboard.press('ArrowRight');
    await calls.getByText(/call 2 of/).waitFor();
    await page.evaluate(`location.hash = '#/s/login/fold/2'`);
    const went = page.locator('section', { has: page.getByRole('heading', { name: /^What was removed: \d+$/ }) });
    await went.waitFor();
    await tabTo(page, went.getByRole('button', { name: 'Recall' }).first());
    await page.keyboard.press('Enter');
    await went.locator('.recalled').waitFor();
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!CHROMIUM)('an empty store', () => {
  test('says what to do', async () => {
    const [browser, served] = [await launch(), await servePage()];
    onTestFinished(async () => {
      await browser.close();
      await served.close();
    });
    for (const look of LOOKS) {
      const { page, problems } = await open(browser, served.url, look, served.origin);
      await page.getByText('No sessions yet').waitFor();
      expect(await overhang(page)).toBe(0);
      expect(await axeFindings(page), JSON.stringify(look)).toEqual([]);
      expect(problems).toEqual([]);
    }
  });
});
