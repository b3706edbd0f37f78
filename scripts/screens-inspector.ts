import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInspector } from '@holdfast/inspector';
import { sqlite } from '@holdfast/sessions';
import { makeProject } from '../examples/demo-project.ts';
import { modelLookup } from '../packages/cli/src/ui/model-lookup.ts';
import { serving } from '../packages/cli/test/serving.ts';
import { launch, open } from '../packages/inspector/test/browser.ts';
import { buildApp } from './build-app.ts';

// Takes the pictures of docs/inspector.md: a real run on the stand-in, and a crew.

const ROOT = join(import.meta.dirname, '..');
const LOOK = { width: 1_280, height: 860 };
const picture = (name: string) => ({ path: join(ROOT, 'docs', `inspector-${name}.png`) });

await buildApp();
const browser = await launch();
await shootSession();
await shootCrew();
await browser.close();

/** Runs the sample task and looks at its session. */
async function shootSession(): Promise<void> {
  const folder = makeProject();
  const env = { ...process.env, HOLDFAST_HOME: join(folder, 'home'), HOLDFAST_TRUST: '1' };
  const bin = join(ROOT, 'packages/cli/bin/holdfast.js');
  const { status, stderr } = spawnSync(process.execPath, [bin, 'run', 'TASK.md'], {
    cwd: join(folder, 'project'),
    env,
  });
  if (status !== 0) throw new Error(`the run ended with ${status}: ${stderr}`);
  const store = await sqlite(join(folder, 'home/sessions.db'));
  const inspector = createInspector({ store, host: 'ui', version: '0.1.0', models: modelLookup() });
  const server = createServer((request, response) => void inspector.listener(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { page } = await open(browser, `${origin}/inspect/`, LOOK, origin);
  await page.locator('.session .name').first().click();
  await page.locator('.entry').first().waitFor({ state: 'attached' });
  await page.locator('.stat', { hasText: /folded in \d/ }).waitFor();
  await page.screenshot(picture('session'));
  await page.evaluate(`document.querySelector('.columns').scrollIntoView()`);
  await page.getByRole('button', { name: 'Read the note' }).first().click();
  await page.locator('.seen.note').waitFor();
  await page.screenshot(picture('note'));
  await inspector.close();
  server.closeAllConnections();
  server.close();
  await store.close();
}

/** Talks to a crew of two. */
async function shootCrew(): Promise<void> {
  const served = await serving();
  const { page } = await open(browser, served.server.inspector, LOOK, served.url);
  await page.locator('.composer textarea').fill('My disk is full. What takes the room?');
  await page.keyboard.press('Enter');
  await page.locator('.tag', { hasText: 'complete' }).waitFor();
  await page.screenshot(picture('crew'));
  await served.close();
}
