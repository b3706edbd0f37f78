import { describe, expect, test } from 'vitest';
import { kindsOf } from '../src/fold/instruction-kinds.ts';
import { ConversationWindow } from '../src/index.ts';
import { dialectOf, type Wire } from './histories.ts';
import { bare } from './promises.ts';
import { type Conversation, conversationsIn, courseOf } from './recordings.ts';

const { HOLDFAST_TRANSCRIPTS_MORE: folder } = process.env;

/** Places of later instructions, each with its kinds. */
function instructionsIn({ format, messages }: Conversation): Map<number, string[]> {
  const dialect = dialectOf(format);
  const readings = messages.map((message) => dialect.read(message));
  const leading = readings.findIndex(({ role }) => role !== 'system');
  const places = readings.flatMap(({ role, firm }, i) => (i > leading && role === 'system' && !firm ? [i] : []));
  return new Map(places.map((i) => [i, kindsOf(dialect.text(messages[i] as Wire))]));
}

describe.skipIf(!folder)('recorded conversations', () => {
  test('the newest instruction of each kind is whole in every view', async () => {
    let views = 0;
    for (const conversation of conversationsIn(String(folder))) {
      const { name, format, messages, source } = conversation;
      const instructions = instructionsIn(conversation);
      if (instructions.size === 0 || !source.endsWith('codex')) continue;
      const config = { max_messages: 0, max_tokens: 40_000 };
      const window = new ConversationWindow<Wire>(config, { dialect: dialectOf(format), logger: { warn() {} } });
      const { requests } = courseOf(conversation);
      const some = Math.ceil(requests.length / 20);
      for (const count of requests.filter((_, i) => i % some === 0)) {
        const shown = new Set((await window.fit(messages.slice(0, count))).messages.map(bare));
        const newest = new Map<string, number>();
        for (const [i, kinds] of instructions) if (i < count) for (const kind of kinds) newest.set(kind, i);
        for (const [kind, i] of newest) expect(shown.has(bare(messages[i] as Wire)), `${name}: ${kind}`).toBe(true);
        views++;
      }
    }
    expect(views).toBeGreaterThan(100);
  }, 600_000);
});
