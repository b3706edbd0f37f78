import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings, CHROMIUM, launch, open, overhang, shoot } from '../../inspector/test/browser.ts';
import { PAYLOADS } from '../../inspector/test/xss-payloads.ts';
import { PAIR_SCRIPT, type Serving, serving } from './serving.ts';

const CREW = {
  entry: 'lead',
  agents: {
    lead: { role: 'Lead.', hand_offs: ['clerk', 'asker'] },
    clerk: { role: 'Clerk.', tools: ['look'], terminal: true },
    asker: { role: 'Asker.', pause: true, hand_offs: ['clerk'] },
  },
};

/** Where the agents are drawn. */
const NODES = `JSON.stringify([...document.querySelectorAll('.graph .node')].map((one) => [one.textContent, one.firstChild.getAttribute('x'), one.firstChild.getAttribute('y')]))`;

describe.skipIf(!CHROMIUM)('the crew in the inspector', () => {
  let browser: Browser;
  let served: Serving;
  let page: Page;
  let problems: string[] = [];
  let nodes = '';
  /** What the clerk waits for. */
  let hold: Promise<void> = Promise.resolve();

  beforeAll(async () => {
    served = await serving(
      async (prompt) => {
        const { system, messages } = prompt;
        const words = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
        if (system.includes('You are asker')) {
          if (words.some((text) => text.includes('the second'))) return { text: 'Thanks. [ROUTE_CLERK]' };
          return { text: '**Which** disk?' };
        }
        if (system.includes('You are lead') && words.at(-1)?.includes('ask me'))
          return { text: 'I ask. [ROUTE_ASKER]' };
        if (system.includes('You are clerk')) await hold;
        return PAIR_SCRIPT(prompt);
      },
      { crew: CREW },
    );
    browser = await launch();
    ({ page, problems } = await open(browser, served.server.inspector, {}, served.url));
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  const status = (text: string) =>
    page.locator('.talk-head [role="status"]', { hasText: new RegExp(`^${text}$`) }).waitFor();
  const field = () => page.locator('.composer textarea');
  const say = async (text: string) => {
    await field().fill(text);
    await page.keyboard.press('Enter');
  };
  const bubbles = () => page.locator('.bubble');

  test('starts with what to do, and shows the crew as a graph', async () => {
    await page.getByText('Say something to start').waitFor();
    await page.getByRole('img', { name: 'The crew: lead, clerk, asker. Handovers: none yet.' }).waitFor();
    expect(await page.locator('.agent-card').count()).toBe(3);
    nodes = await page.evaluate<string>(NODES);
    await shoot(page, 'crew-empty');
  });

  test('is readable: words as Markdown, tool output monospaced, no signals', async () => {
    await say('my disk <b>is</b> full');
    await status('complete');
    const said = await bubbles().allInnerTexts();
    expect(said.map((text) => text.split('\n').filter(Boolean))).toEqual([
      ['you', 'my disk <b>is</b> full'],
      ['lead', 'To the clerk.'],
      ['clerk', 'I look.', '✓ look', 'seen', 'I have seen it: my disk <b>is</b> full'],
    ]);
    const font = await page.evaluate(`getComputedStyle(document.querySelector('.bubble .output')).fontFamily`);
    expect(font).toContain('mono');
    const clerk = page.locator('[data-agent="clerk"]');
    expect(Number(await clerk.locator('meter').getAttribute('value'))).toBeGreaterThan(0);
    expect(await clerk.innerText()).toMatch(/\$0\.\d+[\s\S]*3 messages, ~?\d+ tokens, \d+% of its budget/);
    await page.getByRole('img', { name: /Handovers: lead to clerk, 1 time\./ }).waitFor();
    // Handovers change the lines, not the places of the agents.
    expect(await page.evaluate(NODES)).toBe(nodes);
    await page.getByRole('img', { name: 'you 1 time, lead 1 time, clerk 1 time' }).waitFor();
    // The server keeps the conversation: the next words continue it, and so does a new page.
    await say('and now?');
    await status('complete');
    await expect.poll(() => bubbles().count()).toBe(6);
    await shoot(page, 'crew');
    expect(page.url()).toMatch(/#\/crew\/[\w-]+$/);
    await page.reload();
    await expect.poll(() => bubbles().count()).toBe(6);
    expect(await page.locator('.bubble', { hasText: '[ROUTE' }).count()).toBe(0);
    // The sums are the conversation's, not this page's.
    const stat = (name: string) => page.locator('.side .stat', { hasText: name });
    await stat('What did it cost?')
      .getByText(/^\$0\.\d+$/)
      .waitFor();
    await stat('What was forgotten?').getByText('the model sees all 10 messages').waitFor();
    expect(problems).toEqual([]);
  });

  test('no text of the conversation runs or becomes markup', async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the server refuses these characters
    const plain = PAYLOADS.filter((payload) => !/[\u0000-\u001f\u202a-\u202e]/.test(payload)).join(' ');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await say(plain);
    await status('complete');
    await page.reload();
    await bubbles().last().waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(
      await page.locator('#app :is(img, script, iframe, object, embed, video, audio, style, form form)').count(),
    ).toBe(0);
    const links = await page.evaluate<string[]>(`[...document.querySelectorAll('.bubble a')].map((one) => one.href)`);
    expect(links.filter((url) => !url.startsWith('http'))).toEqual([]);
    expect(problems).toEqual([]);
    await page.goBack();
  });

  test('starts a new conversation, and finds the others', async () => {
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('Say something to start').waitFor();
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'my disk' }).click();
    await expect.poll(() => bubbles().count()).toBe(6);
    await page.getByRole('link', { name: 'What each call saw' }).click();
    await page.getByText(/^Call \d+ of \d+$/).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('Say something to start').waitFor();
  });

  test('a question of an agent can be answered', async () => {
    await say('ask me');
    await status('paused');
    await page.getByText('asker asked you. Your answer continues the request.').waitFor();
    expect(await axeFindings(page), 'asked').toEqual([]);
    expect(await page.locator('.bubble strong').last().textContent()).toBe('Which');
    await page.getByLabel('Your answer').fill('the second');
    await page.getByRole('button', { name: 'Answer' }).click();
    await status('complete');
    expect(await bubbles().last().innerText()).toContain('I have seen it');
  });

  test('stops a running request, and resumes it', async () => {
    let release = () => {};
    hold = new Promise((resolve) => {
      release = resolve;
    });
    await say('wait');
    await page.locator('[data-agent="clerk"].on').waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
    expect(await axeFindings(page), 'working').toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await status('cancelled');
    expect(await page.locator('.bubble.problem').allInnerTexts()).toEqual(['crew\n\nThe request was cancelled.']);
    expect(await page.locator('.talk-head .tag.bad').count()).toBe(0);
    expect(await axeFindings(page), 'stopped').toEqual([]);
    expect(served.server.active()).toBe(0);
    expect(await page.locator('.agent-card.on').count()).toBe(0);
    release();
    await page.getByRole('button', { name: 'Resume' }).click();
    await status('complete');
    expect(await bubbles().last().innerText()).toContain('I have seen it');
    expect(problems).toEqual([]);
  });

  test('a conversation that is left tells nothing to the next', async () => {
    let release = () => {};
    hold = new Promise((resolve) => {
      release = resolve;
    });
    await say('wait again');
    await page.locator('[data-agent="clerk"].on').waitFor();
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'my disk' }).click();
    await status('ready');
    await expect.poll(() => bubbles().count()).toBe(6);
    // Its Stop would end the request of the other one.
    await page.getByRole('button', { name: 'Send' }).waitFor();
    release();
    await expect.poll(() => served.server.active()).toBe(0);
    await say('and then?');
    await status('complete');
    expect(await bubbles().count()).toBe(9);
    expect(await page.locator('.bubble', { hasText: 'wait again' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('says that a conversation is loading, and words typed meanwhile come after it', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/inspect/api/sessions/*/messages*', (route) => released.then(() => route.continue()));
    await page.reload();
    await page.getByText('Loading the conversation…').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await say('typed early');
    release();
    await status('complete');
    const said = await bubbles().allInnerTexts();
    expect(said).toHaveLength(12);
    expect(said.at(-3)).toContain('typed early');
    await page.unrouteAll({ behavior: 'wait' });
    expect(problems).toEqual([]);
  });

  test('refused words can be sent again, and the page says when the server is gone', async () => {
    await say('b'.repeat(32_001));
    await status('refused');
    expect(await page.locator('.bubble.problem').last().innerText()).toContain('must have at most 32000 characters');
    expect(await page.locator('.bubble.refused').count()).toBe(1);
    expect(await field().inputValue()).toHaveLength(32_001);
    await page.route('**/api/crew/stream', (route) => route.abort());
    await say('hello');
    await status('failed');
    expect(await page.locator('.bubble.problem').last().innerText()).toContain('The server cannot be reached');
    await page.unroute('**/api/crew/stream');
    await say('hello again');
    await status('complete');
  });

  test('keeps everything within reach on any screen, in light and dark', async () => {
    for (const [width, height] of [
      [400, 800],
      [1_400, 900],
      [2_000, 1_000],
    ] as const)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        // The newest words stay in view.
        await expect.poll(async () => ((await bubbles().last().boundingBox())?.y ?? 9_999) < height).toBe(true);
        for (const place of [field(), page.getByRole('button', { name: 'Send' }), page.locator('.side')]) {
          const box = await place.boundingBox();
          expect([(box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? 9_999) <= width]).toEqual([true, true]);
          expect((box?.y ?? -1) >= 0 && (box?.y ?? 9_999) < height).toBe(true);
        }
        expect(await overhang(page)).toBe(0);
        expect(await axeFindings(page), `${width} ${colorScheme}`).toEqual([]);
        await shoot(page, `crew-${width}-${colorScheme}`);
      }
  });
});
