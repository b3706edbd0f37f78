import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createStandIn } from '@holdfast/stand-in';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { axeFindings, CHROMIUM, launch, open, overhang, shoot } from '../../inspector/test/browser.ts';
import { PAYLOADS } from '../../inspector/test/xss-payloads.ts';
import { type Project, project } from './project.ts';

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const ALL = PAYLOADS.join('\n');
const NAME = '<img src=x onerror=window.hacked=2>.txt';
const KEY = 'ghp_1234567890abcdefghijABCDEFGHIJ123456';

/** A run whose task, files, answers and outputs would be markup if they were not escaped. */
async function hostileRun(): Promise<Project & { readonly path: string }> {
  const calls = [
    { name: 'write_file', input: { path: NAME, content: `one\n${HOSTILE}\n${ALL}\n` } },
    { name: 'edit_file', input: { path: NAME, old_text: 'one\n', new_text: `two ${KEY}\n` } },
    { name: 'run_command', input: { command: 'cat *.txt; exit 3' } },
    { name: 'run_command', input: { command: `printf '%s' '</pre></main>${HOSTILE}'` } },
    { name: 'read_file', input: { path: 'long.txt' } },
    { name: 'task_complete', input: { summary: `Done ${HOSTILE}` } },
  ];
  // Not by the results in the prompt: folds take them away.
  let at = 0;
  const standIn = await createStandIn({
    script: () => ({ text: `Step ${at} ${HOSTILE} ${at === 0 ? ALL : ''}`, calls: calls.slice(at, ++at) }),
  });
  onTestFinished(() => standIn.close());
  const place = project({
    'TASK.md': `# TASK: Break the report ${HOSTILE}\n\n## Goal\n${HOSTILE}\n\n## Definition of Done\n- [ ] \`test -f long.txt\` passes\n`,
    'long.txt': `${'wide '.repeat(400)}\n`.repeat(50),
    'holdfast.yml': 'execution: { conversation: { max_messages: 8, preserve_last_n: 2 } }\n',
  });
  const flags = ['--provider', 'anthropic-api', '--model', 'claude-sonnet-5', '--base-url', standIn.url];
  const ended = await place.holdfast('run', 'TASK.md', '--checks', '--report', 'report.html', ...flags);
  expect(ended.code, ended.stderr).toBe(0);
  return { ...place, path: join(place.workspace, 'report.html') };
}

test('a report has the timeline, changes, folds and costs, escaped, without keys, and loads nothing', async () => {
  const { path, holdfast, workspace } = await hostileRun();
  const page = readFileSync(path, 'utf8');
  expect(page).not.toMatch(/<(?:script|img|link|iframe|a )/i);
  expect(page).toContain("default-src 'none'; style-src 'sha256-".replaceAll("'", '&#39;'));
  expect(page).not.toContain(KEY);
  expect(page).toContain('<span class="plus">+ two [masked]</span>');
  expect(page).toContain('✗ failed</span> run_command');
  expect(page).toContain('≡ fold 1:');
  expect(page).toContain('A fold (other tools say compaction)');
  expect(page).toContain('sending everything: $');
  expect(page).toContain('✓ passed <code>test -f long.txt</code>');
  const { code, stdout } = await holdfast('runs', 'report', '-o', 'again.html');
  expect([code, stdout]).toEqual([0, `Wrote ${join(workspace, 'again.html')}\n`]);
  expect(readFileSync(join(workspace, 'again.html'), 'utf8')).toBe(page);
});

describe.skipIf(CHROMIUM === undefined)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test('it runs nothing, fits 400 to 2,000 pixels, and is readable in light and dark', async () => {
    const { path } = await hostileRun();
    const url = pathToFileURL(path).href;
    for (const width of [400, 1000, 2000])
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, problems } = await open(browser, url, { width, height: 900, colorScheme });
        // Everything that can be opened is.
        await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })');
        expect(await overhang(page), `${width} ${colorScheme}`).toBe(0);
        expect(await page.evaluate('window.hacked')).toBeUndefined();
        expect(await page.locator('h1').innerText()).toContain('<script>window.hacked=1</script>');
        expect(await page.locator('img, script').count()).toBe(0);
        expect(problems).toEqual([]);
        await shoot(page, `run-report-${width}-${colorScheme}`);
        await page.context().close();
      }
    const { page } = await open(browser, url, { width: 1000 });
    // axe needs a script, which the page's own policy forbids: so it looks at a copy without it.
    await page.setContent(readFileSync(path, 'utf8').replace(/<meta http-equiv[^>]*>/, ''));
    expect(await axeFindings(page)).toEqual([]);
  });
});
