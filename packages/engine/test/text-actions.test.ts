import { describe, expect, test } from 'vitest';
import { ConversationWindow, memoryArchive } from '../src/index.ts';
import { dialectOf, type Wire } from './histories.ts';
import { lost, violationsOf } from './promises.ts';

const FORMATS = ['openai-chat', 'anthropic'] as const;
const CONFIG = { max_messages: 0, max_tokens: 4_000 };
const TASK = 'Rename value_7 in all files of src.';

/** An agent that writes its calls into its words, and gets the results in the user's role. */
function step(i: number, lines = 40): Wire[] {
  const text = Array.from({ length: lines }, (_, n) => `const value_${n} = compute_${i}(${n});`).join('\n');
  return [
    { role: 'assistant', content: `Thought: next.\nAction: read_file\nAction Input: {"path": "src/part_${i}.ts"}` },
    { role: 'user', content: `Observation: ${text}` },
  ];
}

const steps = (count: number) => Array.from({ length: count }, (_, i) => step(i)).flat();

describe.each(FORMATS)('calls in words, in %s', (format) => {
  const windowOf = (parts = {}) =>
    new ConversationWindow<Wire>(CONFIG, { dialect: dialectOf(format), logger: { warn() {} }, ...parts });

  test('what was answered may be shortened, the user’s request may not', async () => {
    const window = windowOf();
    const history: Wire[] = [{ role: 'user', content: TASK }];
    for (let i = 0; i < 30; i++) {
      history.push(...step(i));
      const { messages, metrics, receipt } = await window.fit(history);
      expect(violationsOf(format, messages)).toEqual([]);
      expect(metrics.estimatedTokens).toBeLessThanOrEqual(CONFIG.max_tokens);
      expect(messages[0]).toEqual(history[0]);
      expect(messages.at(-1)).toMatchObject({ role: 'user' });
      if (receipt) expect(await lost(window, history, messages, receipt.note)).toEqual([]);
    }
    const { log } = window.state();
    expect(log.length).toBeGreaterThan(2);
    const { asked = [], files = [] } = log.at(-1)?.digest ?? {};
    expect(asked).toEqual([]);
    expect(files.find(({ path }) => path === 'src/part_3.ts')?.reads).toEqual([[8, 0, 40]]);
  });

  test('an answer larger than the budget is shortened, with its handle', async () => {
    const window = windowOf();
    const history = [{ role: 'user', content: TASK }, ...steps(3), ...step(9, 2_000)];
    const { messages } = await window.fit(history);
    expect(JSON.stringify(messages.at(-1))).toContain('recall m8');
    expect((await window.recall('m8')).messages).toEqual([history[8]]);
  });

  test('a restored window, and one that saw the call before its answer, continue with the same bytes', async () => {
    const archive = memoryArchive<Wire>();
    const [whole, before] = [windowOf({ archive }), windowOf()];
    let restored = windowOf({ archive });
    const history: Wire[] = [{ role: 'user', content: TASK }];
    for (let i = 0; i < 24; i++) {
      const [call, answer] = step(i) as [Wire, Wire];
      await before.adopt([...history, call]);
      history.push(call, answer);
      const { messages } = await whole.fit(history);
      expect((await before.fit(history)).messages).toEqual(messages);
      restored = windowOf({ archive, state: JSON.parse(JSON.stringify(whole.state())) });
      expect((await restored.fit(history)).messages).toEqual(messages);
    }
    const more = [...history, ...step(24), ...step(25), ...step(26)];
    expect((await restored.fit(more)).messages).toEqual((await whole.fit(more)).messages);
  });
});
