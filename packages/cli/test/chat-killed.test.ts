import { join } from 'node:path';
import { sqlite } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { chatProject, chatServer, ESC, endChats, idle, keptIn, sentTexts, startChat } from './chat-place.ts';
import type { Project } from './project.ts';

const KILLS = SOAK ? 300 : 9;
/** Sessions that are talked with at the same time. */
const SIDES = 3;

const MOST_BYTES = 7_000;

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

/** What a person saw of one life of a chat. */
interface Seen {
  /** Prompts that were shown as said. */
  readonly prompts: readonly string[];
  /** What answers say that were complete: the chat waited for the next prompt. */
  readonly answers: readonly string[];
  /** What stood there when it was killed. */
  readonly screen: string;
}

/** One life: a chat is started, says things, and is killed at some moment of it. */
async function life(place: Project, session: string, life: number, next: () => number): Promise<Seen> {
  const terminal = startChat(place, server, ['--yolo', '--resume', session]);
  const answers: string[] = [];
  await terminal.until(idle);
  // After so many bytes on the screen, which is at any moment of the first turns, however fast the machine is.
  const enough = terminal.raw().length + next() * MOST_BYTES;
  const isOver = () => terminal.raw().length >= enough;
  for (let turn = 0; !isOver(); turn++) {
    const word = `${session}-${life}-${turn}`;
    const kind = KINDS[Math.floor(next() * KINDS.length)] ?? KINDS[0];
    // Long answers come slowly, too.
    if (next() < 0.4) server.standIn.fail({ kind: 'slow', bytes: 150, pause_ms: 3 });
    terminal.write(`${kind.prompt(word)}\r`);
    await terminal.until((screen) => isOver() || screen.some((row) => row.includes(word)));
    await terminal.until((screen) => isOver() || idle(screen));
    if (!isOver()) answers.push(kind.answer(word));
  }
  process.kill(terminal.pid, 'SIGKILL');
  await terminal.exit;
  const prompts = [...terminal.raw().matchAll(SAID)].flatMap(([, word]) => (word === undefined ? [] : [word]));
  expect(terminal.raw()).not.toContain('is damaged');
  return { prompts, answers, screen: terminal.screen().join('\n') };
}

const SAID = new RegExp(`${ESC}\\[1m> (?:say|write|run) (?:out/|echo )?(\\w+-\\d+-\\d+)`, 'g');

/** What is said, and what a complete answer to it leaves in the log: words, a call that changes something, one that runs. */
const KINDS = [
  { prompt: (word: string) => `say ${word}`, answer: (word: string) => `you said "say ${word}"` },
  { prompt: (word: string) => `write out/${word}.txt ${word}`, answer: (word: string) => `created out/${word}.txt` },
  { prompt: (word: string) => `run echo ${word}`, answer: (word: string) => `stdout:\n${word}` },
] as const;

async function side(place: Project, name: string, kills: number, seed: number): Promise<number> {
  const next = numbers(seed);
  const store = await sqlite(join(place.home, 'sessions.db'));
  await store.create({ id: name });
  await store.close();
  let said = 0;
  for (let one = 0; one < kills; one++) {
    const seen = await life(place, name, one, next);
    said += seen.prompts.length;
    const { text, problems } = await keptIn(place, name);
    expect(problems, `life ${one}`).toEqual([]);
    for (const word of seen.prompts) expect(text, `said in life ${one}, seen:\n${seen.screen}`).toContain(word);
    for (const answer of seen.answers) expect(text, `answered in life ${one}, seen:\n${seen.screen}`).toContain(answer);
  }
  // Everything sent to a model is in the log.
  const { text } = await keptIn(place, name);
  for (const sent of new Set(sentTexts(server))) if (sent.includes(`${name}-`)) expect(text).toContain(sent);
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
