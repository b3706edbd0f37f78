import { join } from 'node:path';
import { eachEntry, messageText, sqlite, verifySession } from '@holdfast/sessions';
import { type Answer, conversation, createStandIn, type Script, type StandIn } from '@holdfast/stand-in';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { HOLDFAST, type Project, project } from './project.ts';
import { openTerminal, type TerminalOptions, type TestTerminal } from './terminal.ts';

export const ESC = '\u001b';
export const CTRL = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) - 96);

/** A server for all chats of a file: a test may say what the model says to prompts of its own. */
export interface ChatServer {
  readonly standIn: StandIn;
  /** Says this to the prompt that begins so, before the usual conversation. */
  answer(prompt: string, answer: Answer): void;
}

/** Starts a stand-in before the tests of a file, and ends it after them. */
export function chatServer(): ChatServer {
  const own = new Map<string, Answer>();
  const usual = conversation();
  const script: Script = (prompt) => {
    const said = prompt.messages.at(-1)?.text ?? '';
    const found = [...own].find(([start]) => said.startsWith(start));
    return found?.[1] ?? usual(prompt);
  };
  let started: StandIn | undefined;
  beforeAll(async () => {
    started = await createStandIn({ script, keep_bodies: 10_000 });
  });
  afterAll(() => started?.close());
  return {
    get standIn() {
      if (!started) throw new Error('the server is started before the tests, not before that');
      return started;
    },
    answer: (prompt, answer) => void own.set(prompt, answer),
  };
}

/** Flags that lead to this server. */
export function flagsFor({ standIn }: ChatServer): string[] {
  return ['--provider', 'anthropic-api', '--model', 'claude-sonnet-5', '--base-url', standIn.url];
}

/** A project to chat in. */
export function chatProject(files: Readonly<Record<string, string>> = { 'README.md': '# A project\n' }): Project {
  return project(files);
}

const open: TestTerminal[] = [];

/** The real chat in a terminal; ended after the test, if it has not. */
export function startChat(
  place: Project,
  server: ChatServer,
  args: readonly string[] = [],
  terminal: Partial<TerminalOptions> = {},
): TestTerminal {
  const started = openTerminal({
    command: process.execPath,
    args: [...HOLDFAST, 'chat', ...flagsFor(server), ...args],
    cwd: place.workspace,
    ...terminal,
    env: { ...place.env, ...terminal.env },
  });
  open.push(started);
  return started;
}

/** Ends what a test has left open. */
export function endChats(): void {
  afterEach(() => {
    for (const one of open.splice(0)) one.kill('SIGKILL');
  });
}

export const shows =
  (text: string | RegExp) =>
  (screen: readonly string[]): boolean =>
    screen.some((row) => (typeof text === 'string' ? row.includes(text) : text.test(row)));

/** The chat asks whether this tool may run, and takes answers. */
export const asks =
  (tool: string) =>
  (screen: readonly string[]): boolean =>
    shows(`Allow ${tool}?`)(screen) && shows('  n  no, with a reason')(screen);

/** The chat waits for the person: nothing is written, and nothing under way. */
export const idle = (screen: readonly string[]): boolean =>
  screen.some((row) => row === '>') && !screen.some((row) => /· Esc interrupts|^next: /.test(row));

/** Says something and waits until the answer with this text is complete. */
export async function say(terminal: TestTerminal, text: string, answer: string | RegExp): Promise<void> {
  terminal.write(`${text}\r`);
  await terminal.until((screen) => shows(answer)(screen) && idle(screen));
}

/** The texts of the user in all requests, the newest request last. */
export function sentTexts({ standIn }: ChatServer): string[] {
  return standIn.requests.flatMap(({ body }) => {
    const { messages = [] } = (body ?? {}) as { messages?: readonly { role: string; content: unknown }[] };
    return messages.flatMap(({ role, content }) => (role === 'user' ? textsOf(content) : []));
  });
}

/** The tool results in all requests, the newest request last. */
export function sentResults({ standIn }: ChatServer): string[] {
  return standIn.requests.flatMap(({ body }) => {
    const { messages = [] } = (body ?? {}) as { messages?: readonly { content: unknown }[] };
    return messages.flatMap(({ content }) =>
      Array.isArray(content)
        ? content.filter(({ type }) => type === 'tool_result').map((one) => JSON.stringify(one))
        : [],
    );
  });
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  const blocks = Array.isArray(content) ? (content as readonly { type: string; text?: string }[]) : [];
  return blocks.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
}

/** What is kept of a session, or of the one that was used last: all texts and notes of its log, and what does not add up in it. */
export async function keptIn(
  { home }: Project,
  session?: string,
): Promise<{ readonly id: string; readonly text: string; readonly problems: readonly string[] }> {
  const store = await sqlite(join(home, 'sessions.db'));
  try {
    const [latest] = await store.list({ limit: 1 });
    const id = session ?? latest?.id ?? '';
    const { problems } = await verifySession(store, id);
    const texts: string[] = [];
    for await (const { entry } of eachEntry(store, id, { types: ['message', 'fold'] })) {
      if (entry.type === 'message') texts.push(messageText(entry.message));
      if (entry.type === 'fold') texts.push(entry.receipt.note ?? '');
    }
    return { id, text: texts.join('\n'), problems };
  } finally {
    await store.close();
  }
}
