import { describe, expect, test } from 'vitest';
import { type ConversationHistoryConfig, ConversationWindow, isHoldfastError, type Strategy } from '../src/index.ts';
import { dialectOf, FORMATS, type Wire } from './histories.ts';
import { violationsOf } from './promises.ts';
import { agentHistory, resultsIn, sentViews, text, toolTurn } from './seed-histories.ts';

const MARKER = /^\[Earlier conversation trimmed — (\d+) messages removed to stay within context budget\]\n/;

describe.each(FORMATS)('automatic context governance in %s', (format) => {
  const open = (config: ConversationHistoryConfig = {}) =>
    new ConversationWindow<Wire>({ strategy: 'governed', ...config }, { dialect: dialectOf(format) });
  const fit = async (history: readonly Wire[], config?: ConversationHistoryConfig) => {
    const window = open(config);
    return { window, ...(await window.fit(history)) };
  };
  const long = agentHistory(format, 20, (i) => ({ result: text(i === 4 ? 1_999 : 5_000, i) })); // 42 messages

  describe('1a. tool output trimming', () => {
    test('older results over 2000 characters are cut to them, with the marker and the length of the whole', async () => {
      const { messages } = await fit(long);
      const [id, shown] = [...resultsIn(messages)].find(([, one]) => one.includes('truncated')) ?? [];
      const whole = resultsIn(long).get(id ?? '') ?? '';
      const at = long.findIndex((message) => resultsIn([message]).has(id ?? ''));
      expect(shown).toBe(`${whole.slice(0, 2_000)}\n[…truncated, 5000 chars] [recall m${at}]`);
    });

    test('all but the last exchange: the newest results stay as they are', async () => {
      const { messages } = await fit(long);
      const results = [...resultsIn(messages)];
      expect(results.at(-1)).toEqual([...resultsIn(long)].at(-1));
      for (const [id, shown] of results.slice(0, -1)) expect(shown, id).toMatch(/\[…truncated, 5000 chars\]/);
    });

    test('tool name and call id are kept, and the whole comes back by its handle', async () => {
      const { window, messages } = await fit(long);
      expect(violationsOf(format, messages)).toEqual([]);
      for (const [id, shown] of resultsIn(messages)) {
        expect(JSON.stringify(messages)).toContain(JSON.stringify(id));
        const handle = /\[recall (m[\d.]+)\]$/.exec(shown)?.[1];
        if (handle) expect(resultsIn((await window.recall(handle)).messages).get(id)).toBe(resultsIn(long).get(id));
      }
      expect(JSON.stringify(messages)).toContain('"Read"');
    });

    test('the threshold is tool_output_trim_chars; a cut that would save next to nothing is not made; 0 cuts nothing', async () => {
      const history = agentHistory(format, 20, (i) => ({ result: text(i % 2 === 0 ? 350 : 480, i) }));
      const { messages } = await fit(history, { tool_output_trim_chars: 300 });
      for (const [id, shown] of [...resultsIn(messages)].slice(0, -1)) {
        const whole = resultsIn(history).get(id) ?? '';
        if (whole.length === 350) expect(shown).toBe(whole);
        else expect(shown).toMatch(/^[^[]{300}\n\[…truncated, 480 chars\] \[recall m\d+\]$/);
      }
      const { messages: uncut } = await fit(long, { tool_output_trim_chars: 0 });
      for (const [id, shown] of resultsIn(uncut)) expect(shown).toBe(resultsIn(long).get(id));
    });

    test('results that are cut count as cut when the newest messages are chosen', async () => {
      const history = agentHistory(format, 10, (i) => ({ result: text(20_000, i) }));
      const { messages } = await fit(history, { max_tokens: 30_000 });
      expect(resultsIn(messages).size).toBeGreaterThanOrEqual(6); // at 20,000 characters each two would fit
    });
  });

  describe('1b. message-count sliding window', () => {
    const history = agentHistory(format, 20, (i) => ({ result: `result ${i}` }));
    const head = format === 'openai-responses' ? 1 : 2; // whole turns: as items, the second belongs to the first call

    test('40 messages stay as they are', async () => {
      expect((await fit(history.slice(0, 40))).messages).toEqual(history.slice(0, 40));
    });

    test('over 40: the first 2, the marker at the splice, the newest; the middle is dropped', async () => {
      const { messages, receipt } = await fit(history);
      const tail = messages.length - head - 1;
      expect(messages.slice(0, head)).toEqual(history.slice(0, head));
      expect(String(messages[head]?.content)).toMatch(MARKER);
      expect(messages.slice(head + 1)).toEqual(history.slice(-tail));
      expect(tail).toBeGreaterThan(10);
      expect(receipt?.strategy).toBe('governed-trim+governed-window');
    });

    test('the marker is the exact line, then how to recall what it counts', async () => {
      const { window, messages } = await fit(history);
      const dropped = history.length - (messages.length - 1);
      const [line, recall] = String(messages[head]?.content).split('\n');
      expect(line).toBe(`[Earlier conversation trimmed — ${dropped} messages removed to stay within context budget]`);
      expect(recall).toBe(`[For the exact text recall a handle such as m${head} (m${head}-m${dropped + head - 1}).]`);
      const back = await window.recall(`m${head}-m${dropped + head - 1}`);
      expect(back.messages).toEqual(history.slice(head, dropped + head));
    });

    test('{dropped} counts all that is not in the view, over several folds', async () => {
      const longer = agentHistory(format, 70, (i) => ({ result: `result ${i}` }));
      const views = await sentViews(open(), longer);
      const view = views.at(-1) ?? [];
      const at = view.findIndex(({ content }) => MARKER.test(String(content)));
      const count = Number(MARKER.exec(String(view[at]?.content))?.[1]);
      const shown = new Set(view.map((message) => JSON.stringify(message)));
      expect(count).toBeGreaterThan(40);
      expect(count).toBeLessThanOrEqual(longer.filter((message) => !shown.has(JSON.stringify(message))).length);
      const covered = longer.length - count;
      expect(view.length - 1).toBe(covered);
    });

    test('the threshold is max_history_messages, and an explicit max_messages goes before it', async () => {
      expect((await fit(history.slice(0, 14), { max_history_messages: 12 })).receipt?.reason).toBe('messages');
      expect((await fit(history.slice(0, 12), { max_history_messages: 12 })).receipt).toBeUndefined();
      expect((await fit(history, { max_history_messages: 12, max_messages: 60 })).receipt).toBeUndefined();
      expect((await fit(history, { max_history_messages: 0 })).receipt).toBeUndefined();
    });

    test('no marker where nothing was dropped', async () => {
      const few = agentHistory(format, 5, (i) => ({ result: text(30_000, i) }));
      const { messages, receipt } = await fit(few, { max_tokens: 45_000 });
      expect(receipt).toMatchObject({ dropped: 0, masked: 4 });
      expect(receipt?.note).toBeUndefined();
      expect(messages).toHaveLength(few.length);
    });
  });

  test('a long conversation with large outputs: every view valid, bounded, and the next one begins with it but at folds', async () => {
    const history = agentHistory(format, 120, (i) => ({ result: text(500 + ((i * 997) % 9_000), i) }));
    const views = await sentViews(open(), history);
    let rewrites = 0;
    for (const [i, view] of views.entries()) {
      expect(violationsOf(format, view)).toEqual([]);
      expect(view.length).toBeLessThanOrEqual(40);
      const before = views[i - 1] ?? [];
      if (before.some((message, n) => message !== view[n])) rewrites++;
    }
    expect(rewrites).toBeLessThan(views.length / 8); // as the document has it, at nearly every request
  });

  test('a restored window keeps the words of the strategy', async () => {
    const { window, messages } = await fit(long);
    const state = JSON.parse(JSON.stringify(window.state()));
    const restored = new ConversationWindow<Wire>({ strategy: 'governed' }, { dialect: dialectOf(format), state });
    expect((await restored.fit(long)).messages).toEqual(messages);
    const edited = [...long, ...toolTurn(format, 'more', { result: 'ok' })];
    await restored.fit(edited);
    const rewound = await restored.fit([...long, { role: 'user', content: 'no, something else' }]);
    expect(rewound.messages.slice(0, messages.length)).toEqual(messages); // made again from the log
  });
});

describe('wording', () => {
  const own: Strategy = {
    name: 'own',
    due: (size) => size.messages > 10,
    judge: (turns) => ({
      verdicts: turns.map((turn) => (turn.kept ? 'keep' : turn.results.length > 0 ? 'mask' : 'drop')),
      note: 'marker',
      mask_chars: 100,
      wording: { mask: '$& {chars} of {chars} $1', marker: '$& {dropped} gone $`' },
    }),
  };
  const history: Wire[] = [
    { role: 'user', content: 'go' },
    ...Array.from({ length: 6 }, (_, i) => toolTurn('openai-chat', `c${i}`, { result: text(900, i) })).flat(),
    { role: 'assistant', content: 'half way' },
    { role: 'user', content: 'and?' },
  ];

  test('is anybody’s, with placeholders filled as often as they stand there and nothing else replaced', async () => {
    const { messages } = await new ConversationWindow<Wire>({ strategy: own }).fit(history);
    expect(resultsIn(messages).get('c0')).toBe(`${text(900, 0).slice(0, 100)}\n$& 900 of 900 $1 [recall m2]`);
    expect(messages.some(({ content }) => String(content).startsWith('$& 1 gone $`\n[For the exact text'))).toBe(true);
  });

  test('must be text', async () => {
    const wrong = {
      ...own,
      judge: (turns: readonly unknown[]) => ({ verdicts: turns.map(() => 'keep'), note: 'none', wording: { mask: 7 } }),
    } as unknown as Strategy;
    await expect(new ConversationWindow<Wire>({ strategy: wrong }).fit(history)).rejects.toThrow(/give wording/);
  });
});

test.each([
  { tool_output_trim_chars: -1 },
  { tool_output_trim_chars: 1.5 },
  { max_history_messages: '40' },
] as unknown as ConversationHistoryConfig[])('%o is refused by the name of its key', (config) => {
  const [key = ''] = Object.keys(config);
  try {
    new ConversationWindow({ strategy: 'governed', ...config });
    expect.unreachable();
  } catch (error) {
    expect(isHoldfastError(error) && error.code).toBe('BAD_CONFIG');
    expect(String(error)).toContain(`${key} is`);
  }
});
