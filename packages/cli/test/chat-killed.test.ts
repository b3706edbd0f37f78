import { join } from 'node:path';
import { eachEntry, messageText, type SessionStore, sqlite, verifySession } from '@holdfast/agent/sessions';
import { expect, test } from 'vitest';
import { chatProject, chatServer, ESC, endChats, idle, sentTexts, startChat } from './chat-place.ts';
import type { Project } from './project.ts';

const KILLS = process.env.HOLDFAST_SOAK === '1' ? 300 : 30;
/** Sessions that are talked with at the same time. */
const SIDES = 3;

const server = chatServer();
endChats();

/** The same numbers in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** What a person saw of one life of a chat. */
interface Seen {
  /** Prompts that were shown as said. */
  readonly prompts: readonly string[];
  /** Prompts whose answer was complete: the chat waited for the next. */
  readonly answered: readonly string[];
}

/** One life: a chat is started, says things, and is killed at some moment of it. */
async function life(place: Project, session: string, life: number, next: () => number): Promise<Seen> {
  const terminal = startChat(place, server, ['--yolo', '--resume', session]);
  const answered: string[] = [];
  let isAlive = true;
  const talk = async () => {
    for (let turn = 0; isAlive; turn++) {
      const word = `${session}-${life}-${turn}`;
      const kind = next();
      // Long answers in a slow stream, calls that change something, calls that do not, and plain words.
      if (kind < 0.4) server.standIn.fail({ kind: 'slow', bytes: 150, pause_ms: 3 });
      terminal.write(
        `${kind < 0.5 ? `say ${word}` : kind < 0.8 ? `write out/${word}.txt ${word}` : `run echo ${word}`}\r`,
      );
      await terminal.until((screen) => screen.some((row) => row.includes(word)));
      await terminal.until((screen) => idle(screen));
      answered.push(word);
    }
  };
  await terminal.until(idle);
  const talking = talk().catch(() => {});
  // From the first frame on, at any moment of about three turns.
  await pause(next() * 900);
  isAlive = false;
  const complete = [...answered];
  process.kill(terminal.pid, 'SIGKILL');
  await terminal.exit;
  await talking;
  const prompts = [...terminal.raw().matchAll(SAID)].flatMap(([, word]) => (word === undefined ? [] : [word]));
  expect(terminal.raw()).not.toContain('does not add up');
  return { prompts, answered: complete };
}

const SAID = new RegExp(`${ESC}\\[1m> (?:say|write|run) (?:out/|echo )?(\\w+-\\d+-\\d+)`, 'g');

/** All that the log of a session holds, counted or not. */
async function textsIn(store: SessionStore, session: string): Promise<string> {
  const texts: string[] = [];
  for await (const { entry } of eachEntry(store, session, { types: ['message'] }))
    if (entry.type === 'message') texts.push(messageText(entry.message));
  return texts.join('\n');
}

async function side(place: Project, name: string, kills: number, seed: number): Promise<number> {
  const next = numbers(seed);
  const store = await sqlite(join(place.home, 'sessions.db'));
  await store.create({ id: name });
  let said = 0;
  for (let one = 0; one < kills; one++) {
    const seen = await life(place, name, one, next);
    said += seen.prompts.length;
    const { problems } = await verifySession(store, name);
    expect(problems, `life ${one}`).toEqual([]);
    const texts = await textsIn(store, name);
    for (const word of seen.prompts) expect(texts, `said in life ${one}`).toContain(word);
    for (const word of seen.answered)
      expect(texts, `answered in life ${one}`).toMatch(new RegExp(`no model: .*${word}|${word}`));
  }
  // Whatever a model was told is in the log.
  const texts = await textsIn(store, name);
  for (const text of sentTexts(server)) if (text.includes(`${name}-`)) expect(texts).toContain(text);
  await store.close();
  return said;
}

test(`kill -9 at ${KILLS} moments of running chats: the session opens, verifies, and holds all that was shown or sent`, async () => {
  const place = chatProject();
  const names = Array.from({ length: SIDES }, (_, i) => `side${i}`);
  const said = await Promise.all(names.map((name, i) => side(place, name, Math.ceil(KILLS / SIDES), 100 + i)));
  // It must have come to something, or nothing was tested.
  expect(said.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(KILLS / 2);
  const refused = server.standIn.requests.filter(({ verdict }) => verdict === 'refused');
  expect(refused.map(({ error }) => error)).toEqual([]);
}, 900_000);
