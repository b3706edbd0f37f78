import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { axeFindings, CHROMIUM, type Look, launch, type Opened, open, overhang, shoot } from './browser.ts';
import { type ServedPage, servePage } from './serve-page.ts';
import { type WrittenSession, writeSession } from './write-session.ts';

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

  test('asks for the token, and shows why it was refused', async () => {
    const { page } = await open(browser, served.url, {}, served.origin);
    onTestFinished(() => page.context().close());
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('This server asks for its token').waitFor();
    await page.getByLabel('Token').fill('a-token');
    await page.keyboard.press('Enter');
    await rows(page).first().waitFor();
  });

  test('lists sessions, live ones first, searched, filtered and sorted', async () => {
    const { page, problems } = await at('');
    expect(await rows(page).first().textContent()).toContain('Find out why the login fails');
    expect(await page.locator('.session').first().locator('.live').count()).toBe(1);
    await page.getByText('41 sessions').waitFor();
    await page.getByLabel('By').selectOption('cost');
    await page.getByRole('article', { name: 'Another task 39' }).waitFor();
    await page.getByLabel('Kind').selectOption('crew');
    await expect.poll(() => page.getByText('20 matches').count()).toBe(1);
    await page.getByLabel('Kind').selectOption('');
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

  test('is operated by keyboard: j, k, Enter, u, ?, t', async () => {
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
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.keyboard.press('u');
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
  });

  test('a session answers the first questions and aligns the history with the view', async () => {
    const { page, problems } = await at('#/s/login');
    const stat = (name: string) => page.locator('.stat', { hasText: name });
    await stat('Is it healthy?').getByText('Within budget').waitFor();
    expect(await stat('What did it cost?').innerText()).toContain('$0.24');
    await stat('What was forgotten?')
      .getByText(/^\d+ folded$/)
      .waitFor();
    await page.getByRole('img', { name: /^Over 24 calls the history grew to .* with a budget of 6k/ }).waitFor();
    const first = page.locator('.entry.message').first();
    await first.getByText('as it is').waitFor();
    await first.getByText('pinned').first().waitFor();
    const [left, right] = [await first.locator('.said').boundingBox(), await first.locator('.seen').boundingBox()];
    expect(left?.y).toBe(right?.y);
    expect(left?.height).toBe(right?.height);
    // Folded messages are behind their handle, one click away.
    const folded = page.locator('.entry.folded').first();
    const before = await page.locator('.entry.message').count();
    await folded.getByRole('button', { name: /messages? folded/ }).click();
    await expect.poll(() => page.locator('.entry.message').count()).toBeGreaterThan(before);
    await page.locator('.entry.message.folded .tag', { hasText: 'folded' }).first().waitFor();
    expect(await page.locator('.seen.gone q', { hasText: 'Note on' }).count()).toBe(0);
    // Which column is which can be read wherever the reader is.
    for (const name of ['History', 'What the model sees']) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      const box = await page.getByRole('heading', { level: 2, name, exact: true }).boundingBox();
      expect((box?.y ?? -1) >= 0 && (box?.y ?? 9_999) < 200).toBe(true);
    }
    await page.evaluate('scrollTo(0, 0)');
    // Lines of the note lead to the messages they speak for.
    await page.getByRole('button', { name: 'Read the note' }).first().click();
    const link = page.locator('.seen.note .note-lines li button.handle').nth(3);
    const handle = await link.textContent();
    await link.click();
    await page.locator('.entry.found', { hasText: handle ?? '' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('scrubs to any call, by keyboard and slider, and shows the exact request', async () => {
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
  });

  test('searches all of a session and recalls what is folded', async () => {
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
    await page.getByRole('alert').waitFor();
  });

  test('follows a live session', async () => {
    const { page } = await at('#/s/login');
    await page.getByText('Call 24 of 24').waitFor();
    await session.say(20);
    await page.getByText('Call 25 of 25').waitFor();
  });

  test('a fold shows what went, what stayed and why, its note, and can be undone and redone here', async () => {
    const { page, problems } = await at('#/s/login');
    await page.getByText(/^Folds \(\d+\)$/).waitFor();
    await page
      .getByRole('link', { name: /^Fold \d+$/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: /^Fold \d+$/ }).waitFor();
    const went = page.locator('section', { has: page.getByRole('heading', { name: /^What went: \d+$/ }) });
    await went.getByRole('button', { name: 'Recall' }).first().click();
    await went.locator('.recalled').waitFor();
    await page.locator('section', { hasText: 'What stayed, and why' }).getByText('pinned').first().waitFor();
    expect(await page.locator('.diff .added').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Undo the newest fold' }).click();
    await page.getByText('undone', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => page.getByText('undone', { exact: true }).count()).toBe(0);
    expect(undone).toEqual(['undo', 'redo']);
    await page.evaluate(`location.hash = '#/s/login/fold/1'`);
    await page.getByRole('heading', { level: 1, name: 'Fold 1' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { level: 1, name: 'Fold 2' }).waitFor();
    await page.keyboard.press('u');
    await page.getByText(/^Call \d+ of \d+$/).waitFor();
    expect(problems).toEqual([]);
  });

  test('a fold shows what it shortened before and after', async () => {
    const long = await writeSession(served.store, { id: 'long-output' });
    await long.say(20, 600, 20);
    const { page, problems } = await at('#/s/long-output/fold/1');
    await page.getByRole('button', { name: 'Before and after' }).first().click();
    const [before, after] = ['before', 'after'].map((side) => page.locator(`section[aria-label$=" ${side}"]`).last());
    await before?.waitFor();
    const whole = { name: 'Show all 600 lines' };
    expect(await before?.getByRole('button', whole).count()).toBe(1);
    expect(await after?.getByRole('button', whole).count()).toBe(0);
    expect(await after?.innerText()).toContain('value_1_599');
    expect(problems).toEqual([]);
  });

  test('compares two policies side by side', async () => {
    const { page, problems } = await at('#/s/login/compare');
    await page.getByText('Nothing compared yet').waitFor();
    await page.getByLabel('Policy').nth(1).selectOption('sliding');
    await page.getByLabel('Budget in tokens').nth(0).fill('6000');
    await page.getByLabel('Budget in tokens').nth(1).fill('6000');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.verdict').waitFor({ timeout: 60_000 });
    expect(await page.locator('.verdict').innerText()).toMatch(/^fold at 6k costs .* sliding at 6k/);
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

  test('a session of one call has figures, and no empty charts', async () => {
    const short = await writeSession(served.store, { id: 'one-call' });
    await short.say(3);
    const { page, problems } = await at('#/s/one-call');
    await page.getByText('Call 1 of 1').waitFor();
    await page.locator('.stat', { hasText: 'What did it cost?' }).getByText('as much as sending everything').waitFor();
    expect(await page.locator('.plot').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('says what is missing: no such session, no such page, a server that is gone', async () => {
    const { page } = await at('#/s/nowhere');
    await page.getByText('This session does not exist').waitFor();
    await page.evaluate(`location.hash = '#/what/is/this'`);
    await page.getByText('There is no such page').waitFor();
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

  test('everything that opens can be read by screen readers, in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, problems } = await at('', { colorScheme });
      const fine = async (where: string) => expect(await axeFindings(page), `${where} ${colorScheme}`).toEqual([]);
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
    }
  }, 120_000);

  test('keeps the list in order while others write: what does not pass the filters stays out', async () => {
    const { page } = await at('#/sessions?kind=crew');
    await page.getByText('20 matches').waitFor();
    const { store } = served;
    const old = await store.info('other-1');
    const { id } = await store.create({ id: 'a-new-chat', title: 'A new chat' });
    await store.append(id, [{ type: 'message', message: { role: 'user', content: 'hello' } }], 0);
    await store.append('other-1', [{ type: 'title', title: 'Written to just now' }], old?.last ?? 0);
    await expect.poll(() => rows(page).first().textContent()).toBe('Written to just now');
    expect(await page.locator('.session').first().locator('.live').count()).toBe(1);
    expect(await rows(page).allTextContents()).not.toContain('A new chat');
    await page.getByLabel('Kind').selectOption('');
    await expect.poll(() => rows(page).allTextContents()).toContain('A new chat');
    await store.delete(id);
  });

  test('every page can be read at any width, in light and dark, and by screen readers', async () => {
    const places = { sessions: '', session: '#/s/login', fold: '#/s/login/fold/2', compare: '#/s/login/compare' };
    const ready = { sessions: '.session', session: '.columns', fold: '.turns li', compare: 'form' } as const;
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [400, 1400, 2_000]) {
        const { page, problems } = await at('', { width, colorScheme });
        for (const [name, place] of Object.entries(places)) {
          await page.evaluate(`location.hash = ${JSON.stringify(place || '#/sessions')}`);
          const shown = page.locator(ready[name as keyof typeof ready]).first();
          await shown.waitFor();
          if (name === 'session') await page.evaluate(`document.querySelector('.columns').scrollIntoView()`);
          if (name === 'session') await page.locator('.entry.folded').first().waitFor();
          const where = `${name} ${width} ${colorScheme}`;
          expect(await overhang(page), where).toBe(0);
          expect(await axeFindings(page), where).toEqual([]);
          await shoot(page, `${name}-${width}-${colorScheme}`);
        }
        expect(problems).toEqual([]);
        await page.context().close();
      }
  }, 300_000);
});

describe.skipIf(!CHROMIUM)('an empty store', () => {
  test('says what to do', async () => {
    const [browser, served] = [await launch(), await servePage()];
    onTestFinished(async () => {
      await browser.close();
      await served.close();
    });
    const { page, problems } = await open(browser, served.url, { width: 400 }, served.origin);
    await page.getByText('No sessions yet').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
