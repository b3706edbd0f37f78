// `views.ts CHECKOUT FOLDER TOKENS FILE…`: prints for each recorded conversation one JSON line with a hash of every view
// and of every note. `--at CALL` with one FILE prints what that call gave instead. Run by compare-views.ts.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { ConversationWindow } from 'holdfast';

interface Message {
  readonly role: string;
}

/** What a call to the model gets. */
interface Call {
  readonly view: readonly Message[];
  readonly note: string | undefined;
}

const RESERVE = 10_000;
const sizeOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + Math.ceil(JSON.stringify(message).length / 3) + 4, 0);

/** The root entry of the checkout's engine, as its package declares it. */
async function engineOf(checkout: string): Promise<typeof ConversationWindow> {
  const folder = join(checkout, 'packages/engine');
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const built = await import(pathToFileURL(join(folder, exports['.'].default)).href);
  return built.ConversationWindow;
}

async function* callsOf(Window: typeof ConversationWindow, text: string, tokens: number): AsyncGenerator<Call> {
  const messages: Message[] = text.split('\n').flatMap((line) => {
    const message = line === '' ? undefined : JSON.parse(line);
    return message?.role === undefined ? [] : [message];
  });
  const config = { max_tokens: tokens + RESERVE, reserve: RESERVE, max_messages: 0 };
  const window = new Window<Message>(config, { logger: { warn() {} } });
  for (const [index, { role }] of messages.entries()) {
    if (role !== 'assistant' || index === 0) continue;
    try {
      const { messages: view, receipt } = await window.fit(messages.slice(0, index));
      window.observe({ input_tokens: RESERVE + sizeOf(view) });
      yield { view, note: receipt?.note };
    } catch (error) {
      // What a window refuses, both must refuse with the same words.
      yield { view: [], note: String(error) };
    }
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { at: { type: 'string' } } });
const [checkout = '', folder = '', tokens = '', ...files] = positionals;
const Window = await engineOf(checkout);
const hash = (value: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64')
    .slice(0, 12);
for (const file of files) {
  const views: string[] = [];
  const notes: string[] = [];
  for await (const call of callsOf(Window, readFileSync(join(folder, file), 'utf8'), Number(tokens))) {
    if (String(views.length) === values.at) process.stdout.write(JSON.stringify(call));
    views.push(hash(call.view));
    if (call.note !== undefined) notes.push(`${views.length - 1} ${hash(call.note)}`);
  }
  if (values.at === undefined) console.log(JSON.stringify({ file, views, notes }));
}
