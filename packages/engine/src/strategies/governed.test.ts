import { describe, expect, test } from 'vitest';
import { agentHistory, isModels, resultsIn, sentViews, text, toolTurn } from '../../test/agent-histories.ts';
import { CONTENT_FORMATS, dialectOf, type Wire } from '../../test/histories.ts';
import { violationsOf } from '../../test/promises.ts';
import { contentText } from '../content/text.ts';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  isHoldfastError,
  type Strategy,
  toolOutputTrimmer,
  trimOldToolOutput,
} from '../index.ts';

const noteText = (message: Wire | undefined) => contentText(message?.content);

const MARKER = /^\[Earlier conversation trimmed — (\d+) messages removed to stay within context budget\]\n/;

describe.each(CONTENT_FORMATS)('automatic context governance in %s', (format) => {
  const open = (config: ConversationHistoryConfig = {}) =>
    new ConversationWindow<Wire>({ strategy: 'governed', ...config }, { dialect: dialectOf(format) });
  const fit = async (history: readonly Wire[], config?: ConversationHistoryConfig) => {
    const window = open(config);
    return { window, ...(await window.fit(history)) };
  };
  const long = agentHistory(format, 20, (i) => ({ result: text(i === 4 ? 1_999 : 5_000, i) })); // 42 messages

  describe('1a. tool output trimming', () => {
    test('older results are cut to 2000 characters, with the marker and the full length', async () => {
      const { messages } = await fit(long);
      const [id, shown] = [...resultsIn(messages)].find(([, one]) => one.includes('truncated')) ?? [];
      const whole = resultsIn(long).get(id ?? '') ?? '';
      const at = long.findIndex((message) => resultsIn([message]).has(id ?? ''));
      expect(shown).toBe(`${whole.slice(0, 2_000)}\n[…truncated, 5000 chars] [recall m${at}]`);
    });

    test('except in the last exchange: the newest results stay unchanged', async () => {
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

    test('cut results count by their cut size when the newest messages are chosen', async () => {
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
      expect(noteText(messages[head])).toMatch(MARKER);
      expect(messages.slice(head + 1)).toEqual(history.slice(-tail));
      expect(tail).toBeGreaterThan(10);
      expect(receipt?.strategy).toBe('governed-trim+governed-window');
    });

    test('the marker is the exact line, then how to recall what it counts', async () => {
      const { window, messages } = await fit(history);
      const dropped = history.length - (messages.length - 1);
      const [line, recall] = noteText(messages[head]).split('\n');
      expect(line).toBe(`[Earlier conversation trimmed — ${dropped} messages removed to stay within context budget]`);
      expect(recall).toBe(`[For the exact text recall a handle such as m${head} (m${head}-m${dropped + head - 1}).]`);
      const back = await window.recall(`m${head}-m${dropped + head - 1}`);
      expect(back.messages).toEqual(history.slice(head, dropped + head));
    });

    test('{dropped} counts all that is not in the view, over several folds', async () => {
      const longer = agentHistory(format, 70, (i) => ({ result: `result ${i}` }));
      const views = await sentViews(open(), longer);
      const view = views.at(-1) ?? [];
      const note = view.map(noteText).find((text) => MARKER.test(text));
      const count = Number(MARKER.exec(note ?? '')?.[1]);
      const shown = new Set(view.map((message) => JSON.stringify(message)));
      expect(count).toBeGreaterThan(40);
      expect(count).toBeLessThanOrEqual(longer.filter((message) => !shown.has(JSON.stringify(message))).length);
      const covered = longer.length - count;
      expect(view.length - 1).toBe(covered);
    });

    test('the threshold is max_history_messages, unless max_messages is given', async () => {
      expect((await fit(history.slice(0, 14), { max_history_messages: 12 })).receipt?.reason).toBe('messages');
      expect((await fit(history.slice(0, 12), { max_history_messages: 12 })).receipt).toBeUndefined();
      expect((await fit(history, { max_history_messages: 12, max_messages: 60 })).receipt).toBeUndefined();
      expect((await fit(history, { max_history_messages: 0 })).receipt).toBeUndefined();
    });

    test('no marker if nothing was dropped', async () => {
      const few = agentHistory(format, 5, (i) => ({ result: text(30_000, i) }));
      const { messages, receipt } = await fit(few, { max_tokens: 45_000 });
      expect(receipt).toMatchObject({ dropped: 0, masked: 4 });
      expect(receipt?.note).toBeUndefined();
      expect(messages).toHaveLength(few.length);
    });
  });

  describe('before each request', () => {
    const exchange = (i: number): Wire[] => [
      { role: 'user', content: `Look at part ${i}.` },
      ...toolTurn(format, `x${i}`, { result: text(60_000, i) }),
      { role: 'assistant', content: `Part ${i} is sound.` },
    ];
    const lengths = (messages: readonly Wire[]) => [...resultsIn(messages).values()].map((one) => one.length);
    const isCut = (chars: number) => chars > 2_000 && chars < 2_100;

    test('8 results of 60,000 characters: only the newest is sent whole, even if the user spoke in between', async () => {
      const run = agentHistory(format, 8, (i) => ({ result: text(60_000, i) }));
      const talk = Array.from({ length: 8 }, (_, i) => exchange(i)).flat();
      for (const [history, whole] of [
        [run, 1],
        [talk.slice(0, -1), 1],
        [talk, 1],
      ] as const) {
        const sent = lengths((await fit(history)).messages);
        expect(sent.slice(0, -whole).every(isCut), String(sent)).toBe(true);
        expect(sent.at(-1)).toBe(60_000);
      }
      const spoken = lengths((await fit([...talk, { role: 'user', content: 'Thank you.' }])).messages);
      expect(spoken.every(isCut), String(spoken)).toBe(true);
    });

    test('each cut is a fold without a note, with a receipt, and can be recalled and undone', async () => {
      const history = exchange(0);
      const window = open();
      expect((await window.fit(history)).receipt).toBeUndefined();
      const { messages, receipt, metrics } = await window.fit([...history, { role: 'user', content: 'And now?' }]);
      expect(receipt).toMatchObject({ fold: 1, reason: 'strategy', strategy: 'governed-trim', masked: 1, dropped: 0 });
      expect(receipt?.note).toBeUndefined();
      expect(metrics).toMatchObject({ folds: 1, evictedMessages: 0 });
      expect(messages).toHaveLength(history.length + 1);
      const handle = receipt?.turns.find(({ verdict }) => verdict === 'mask')?.handle ?? '';
      expect([...resultsIn((await window.recall(handle)).messages).values()]).toEqual([text(60_000, 0)]);
      await window.undo();
      expect(lengths((await window.fit([...history, { role: 'user', content: 'And now?' }])).messages)).toEqual([
        60_000,
      ]);
    });

    test('a pinned result stays whole', async () => {
      const history = [...exchange(0), ...exchange(1), { role: 'user', content: 'And now?' }];
      const window = open();
      window.pin(2);
      const [pinned, other = 0] = lengths((await window.fit(history)).messages);
      expect([pinned, isCut(other)]).toEqual([60_000, true]);
    });

    test('the marker of an earlier fold stays as it was', async () => {
      const window = open({ max_history_messages: 20 });
      const history = agentHistory(format, 14, (i) => ({ result: i < 11 ? 'ok' : text(9_000, i) }));
      let note: string | undefined;
      for (let n = 20; n < history.length; n++) {
        if (isModels(history[n - 1])) continue;
        const { messages, receipt } = await window.fit(history.slice(0, n));
        if (receipt?.strategy === 'governed-trim') expect(receipt.note).toBe(note);
        note = receipt?.note ?? note;
        if (note !== undefined) expect(JSON.stringify(messages)).toContain(JSON.stringify(note).slice(1, -1));
      }
      expect(note).toMatch(MARKER);
      expect(window.state().folds).toBeGreaterThan(1);
    });
  });

  test('a long conversation with large outputs: every view valid and bounded, every result cut once', async () => {
    const history = agentHistory(format, 120, (i) => ({ result: text(500 + ((i * 997) % 9_000), i) }));
    const views = await sentViews(open(), history);
    const forms = new Map<string, Set<string>>();
    let rewrites = 0;
    let dropped = 0;
    for (const [i, view] of views.entries()) {
      expect(violationsOf(format, view)).toEqual([]);
      expect(view.length).toBeLessThanOrEqual(40);
      const results = [...resultsIn(view)];
      for (const [id, shown] of results.slice(0, -1)) {
        expect(shown.length).toBeLessThanOrEqual(2_101);
        forms.set(id, (forms.get(id) ?? new Set()).add(shown));
      }
      const before = views[i - 1] ?? [];
      const changed = before.findIndex((message, n) => message !== view[n]);
      if (changed < 0) continue;
      rewrites++;
      // Nothing but the newest result of the view before, unless messages were dropped.
      if (view.length < before.length) dropped++;
      else expect(resultsIn(before.slice(changed)).size).toBe(1);
    }
    expect([...forms.values()].every(({ size }) => size === 1)).toBe(true);
    expect(rewrites).toBeGreaterThan(80);
    expect(dropped).toBeLessThan(15);
  });

  test('a restored window keeps the words of the strategy', async () => {
    const { window, messages } = await fit(long);
    const state = JSON.parse(JSON.stringify(window.state()));
    const restored = new ConversationWindow<Wire>({ strategy: 'governed' }, { dialect: dialectOf(format), state });
    expect((await restored.fit(long)).messages).toEqual(messages);
    const edited = [...long, ...toolTurn(format, 'more', { result: 'ok' })];
    await restored.fit(edited);
    const rewound = await restored.fit([...long, { role: 'user', content: 'no, something else' }]);
    // Made again from the log; the newest result has left the last exchange.
    expect(rewound.messages.slice(0, messages.length - 1)).toEqual(messages.slice(0, -1));
    expect([...resultsIn(rewound.messages).values()].at(-1)).toMatch(/truncated, 5000 chars/);
  });
});

describe.each(CONTENT_FORMATS)('the trimmer alone in %s', (format) => {
  const dialect = dialectOf(format);
  const history = agentHistory(format, 4, (i) => ({ result: text(3_000, i) }));

  test('as a function: pure, the exact marker, the last exchange whole, and the same again', () => {
    const before = JSON.stringify(history);
    const sent = history;
    const trimmed = trimOldToolOutput(sent, { dialect });
    const results = [...resultsIn(trimmed).values()];
    expect(results.slice(0, -1)).toEqual(
      [0, 1, 2].map((i) => `${text(3_000, i).slice(0, 2_000)}\n[…truncated, 3000 chars]`),
    );
    expect(results.at(-1)).toBe(text(3_000, 3));
    expect(violationsOf(format, trimmed)).toEqual([]);
    expect(trimOldToolOutput(trimmed, { dialect })).toEqual(trimmed);
    expect(trimOldToolOutput(sent, { dialect, tool_output_trim_chars: 0 })).toEqual(sent);
    expect(trimOldToolOutput(sent, { dialect, tool_output_trim_chars: 5_000 })).toEqual(sent);
    expect(JSON.stringify(history)).toBe(before);
    const typed: { role?: string }[] = trimOldToolOutput([{ role: 'user', content: 'hi' }]);
    expect(typed).toHaveLength(1);
    expect(() => trimOldToolOutput(null as unknown as Wire[])).toThrow(/Pass a list of messages/);
  });

  test('as a strategy, before another', async () => {
    const strategy = [toolOutputTrimmer(500), 'sliding'] as const;
    const { messages, receipt } = await new ConversationWindow<Wire>({ strategy }, { dialect }).fit(history);
    const results = [...resultsIn(messages).values()];
    expect(results.map((one) => one.length < 700)).toEqual([true, true, true, false]);
    expect(receipt).toMatchObject({ strategy: 'governed-trim', masked: 3 });
    expect(() => toolOutputTrimmer(-1)).toThrow(/toolOutputTrimmer\(-1\): expected a whole number/);
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

  test('of a custom strategy has every placeholder filled and nothing else replaced', async () => {
    const { messages } = await new ConversationWindow<Wire>({ strategy: own }).fit(history);
    expect(resultsIn(messages).get('c0')).toBe(`${text(900, 0).slice(0, 100)}\n$& 900 of 900 $1 [recall m2]`);
    expect(messages.some(({ content }) => String(content).startsWith('$& 1 gone $`\n[For the exact text'))).toBe(true);
  });

  test('must be text', async () => {
    const wrong = {
      ...own,
      judge: (turns: readonly unknown[]) => ({ verdicts: turns.map(() => 'keep'), note: 'none', wording: { mask: 7 } }),
    } as unknown as Strategy;
    await expect(new ConversationWindow<Wire>({ strategy: wrong }).fit(history)).rejects.toThrow(/invalid wording/);
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
