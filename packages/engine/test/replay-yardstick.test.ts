import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { type ChatMessage, type Policy, parseTranscript, replay } from '../src/replay/index.ts';

const transcripts = process.env.HOLDFAST_TRANSCRIPTS;
const yardstick = process.env.HOLDFAST_YARDSTICK;

interface Conversation {
  readonly source: string;
  readonly file: string;
  readonly chat: readonly ChatMessage[];
}
type MakePolicy = () => Policy;

interface Yardstick {
  load(folder: string, options?: { minTokens?: number }): Iterable<Conversation>;
  replay(conversation: Conversation, policy: MakePolicy): Promise<Record<string, number>>;
  sliding(max: number): MakePolicy;
  masking(count: number): MakePolicy;
}

async function loadYardstick(folder: string): Promise<Yardstick> {
  const files = ['transcripts.mjs', 'evaluate.mjs', 'policies.mjs'];
  const modules = await Promise.all(
    files.map((file) => import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href)),
  );
  return Object.assign({}, ...modules);
}

test('replay agrees with the yardstick on recorded conversations', async ({ skip }) => {
  if (!transcripts || !yardstick) {
    return skip(
      'set HOLDFAST_TRANSCRIPTS and HOLDFAST_YARDSTICK to the folders of the recordings and of the yardstick',
    );
  }
  const reference = await loadYardstick(yardstick);
  const long = [...reference.load(transcripts, { minTokens: 40_000 })];
  const conversations = long.filter((_, index) => index % 5 === 0);
  expect(conversations.length).toBeGreaterThan(0);
  for (const conversation of conversations) {
    const name = join(conversation.source, conversation.file);
    const { messages } = parseTranscript(readFileSync(join(transcripts, name), 'utf8'));
    expect(messages, name).toEqual(conversation.chat);
    for (const policy of [reference.sliding(40), reference.masking(10)]) {
      const { ms: _theirs, ...expected } = await reference.replay(conversation, policy);
      const { ms: _ours, ...measured } = await replay({ messages }, policy);
      expect(measured, name).toMatchObject(expected); // 1% is promised; the sums run in the same order, so nothing differs
    }
  }
});
