import type { SessionEntry, WireMessage } from '@holdfast/sessions';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { CHROMIUM, launch, open } from './browser.ts';
import { servePage } from './serve-page.ts';
import { writeSession } from './write-session.ts';
import { PAYLOADS } from './xss-payloads.ts';

/** Elements that only markup could have made, and links that lead elsewhere than http. Runs in the page. */
const MADE = `[...document.querySelectorAll('#app :is(img, script, iframe, object, embed, video, audio, link, meta, base, style, template, marquee)')].map((one) => one.outerHTML)
  .concat([...document.querySelectorAll('#app a')].map((one) => one.getAttribute('href')).filter((url) => !/^(#\\/|https?:\\/\\/)/.test(url)))
  .concat([...document.querySelectorAll('#app *')].flatMap((one) => one.getAttributeNames().filter((name) => name.startsWith('on') || name === 'style' && !one.getAttribute('style').match(/^height: [\\d.]+px;$/)).map((name) => one.outerHTML)))`;

/** Scrolls to the end of a session. How many messages were on show, and what markup made of them. Runs in the page. */
const SCROLLED = `(async () => {
  const [seen, made] = [new Set(), new Set()];
  for (let step = 0; step < 2000; step++) {
    scrollBy(0, innerHeight * 2);
    do await new Promise(requestAnimationFrame);
    while ([...document.querySelectorAll('.entry > p')].some((one) => one.textContent === 'Loading…'));
    for (const { ariaLabel } of document.querySelectorAll('.entry')) seen.add(ariaLabel);
    for (const html of ${MADE}) made.add(html);
    if (scrollY + innerHeight >= document.documentElement.scrollHeight - 2) break;
  }
  return { seen: seen.size, made: [...made] };
})()`;

async function expectHarmless(page: Page, problems: readonly string[], where: string): Promise<void> {
  expect(await page.evaluate(MADE), where).toEqual([]);
  expect(await page.evaluate('window.hacked'), where).toBeUndefined();
  expect(problems, where).toEqual([]);
}

const text = (n: number) => PAYLOADS[n % PAYLOADS.length] ?? '';

/** Every payload as words, as a name and arguments of a tool, as its output, and as a path. */
function* messages(): Generator<WireMessage> {
  for (const [n, payload] of PAYLOADS.entries()) {
    yield { role: 'user', content: payload };
    yield {
      role: 'assistant',
      content: [
        { type: 'text', text: payload },
        { type: 'tool_use', id: `x${n}`, name: payload, input: { file_path: payload, [payload]: payload } },
      ],
    };
    yield {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `x${n}`, content: payload, is_error: n % 2 === 0 }],
    };
    yield { role: 'assistant', content: [{ type: 'text', text: `${payload}\n\n${payload}` }] };
  }
}

test.skipIf(!CHROMIUM)(
  'no text of a message, tool, name, title or path runs or becomes markup',
  async () => {
    expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(200);
    const [browser, served] = [await launch(), await servePage()];
    onTestFinished(async () => {
      await browser.close();
      await served.close();
    });
    const { store, url, origin } = served;
    for (const [n, payload] of PAYLOADS.entries()) {
      const { id } = await store.create({ id: `t${n}`, title: payload });
      await store.append(
        id,
        [{ type: 'model', provider: text(n + 1), model: text(n + 2), dialect: 'anthropic', folder: text(n + 3) }],
        0,
      );
    }
    const { id } = await store.create({ id: 'all', title: text(0) });
    const entries: SessionEntry[] = [
      { type: 'model', provider: 'x', model: text(1), dialect: 'anthropic', folder: text(2) },
    ];
    for (const message of messages()) entries.push({ type: 'message', message });
    await store.append(id, entries, 0);
    const folded = await writeSession(store, { id: 'folded', words: PAYLOADS });
    await folded.say(...PAYLOADS.map(() => 6));

    const { page, problems } = await open(browser, url, {}, origin);
    await page.locator('.session').first().waitFor();
    for (let at = 0; at < 6; at++) {
      await page.evaluate('scrollBy(0, innerHeight * 3)');
      await expectHarmless(page, problems, `list ${at}`);
    }
    await page.evaluate(`location.hash = '#/s/all'`);
    await page.locator('.entry.message').first().waitFor();
    const { seen, made } = await page.evaluate<{ seen: number; made: string[] }>(SCROLLED);
    expect(made).toEqual([]);
    await expectHarmless(page, problems, 'session');
    expect(seen).toBeGreaterThan(PAYLOADS.length);
    await page.keyboard.press('/');
    await page.keyboard.type('script hacked onerror');
    await page.locator('.hits li').first().waitFor();
    await expectHarmless(page, problems, 'search');

    // Agents, what they say and what their tools print.
    const crew = await store.create({ id: 'crew', title: text(3) });
    const said = PAYLOADS.flatMap((payload, n): WireMessage[] => [
      { role: 'user', content: payload },
      {
        ...{ role: 'assistant', name: payload, content: payload },
        tool_calls: [{ id: `y${n}`, type: 'function', function: { name: payload, arguments: payload } }],
      },
      { role: 'tool', tool_call_id: `y${n}`, content: payload },
    ]);
    await store.append(
      crew.id,
      [
        { type: 'model', provider: 'crew', model: 'crew', dialect: 'openai-chat' },
        ...said.map((message): SessionEntry => ({ type: 'message', message })),
      ],
      0,
    );
    await page.evaluate(`location.hash = '#/crew/crew'`);
    await page.locator('.bubble').first().waitFor();
    await page.locator('.graph .node').nth(100).waitFor();
    await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
    await expectHarmless(page, problems, 'crew');

    await page.evaluate(`location.hash = '#/s/folded'`);
    await page.getByRole('button', { name: 'Show the exact request' }).click();
    await page.locator('.request').waitFor();
    await page.locator('.entry').first().waitFor();
    await page.getByRole('button', { name: 'Read the note' }).first().click();
    await page.locator('.seen.note').waitFor();
    await expectHarmless(page, problems, 'folded session');
    await page.evaluate(`location.hash = '#/s/folded/fold/3'`);
    await page.locator('.turns li').first().waitFor();
    await page.getByRole('button', { name: 'Recall' }).first().click();
    await page.locator('.recalled').waitFor();
    await expectHarmless(page, problems, 'fold');
    await page.evaluate(`location.hash = '#/s/folded/compare'`);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.verdict').waitFor({ timeout: 90_000 });
    for (const details of await page.locator('details').all()) await details.click();
    await expectHarmless(page, problems, 'compare');
  },
  400_000,
);
