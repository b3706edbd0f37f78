import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import {
  ConversationWindow,
  isHoldfastError,
  type KeptTurn,
  memoryArchive,
  type Receipt,
  type WindowEvent,
} from '../src/index.ts';
import { fillState } from '../src/state/fill-state.ts';
import { dialectOf, FORMATS, type Format, type Scenario, scenarios, type Wire } from './histories.ts';
import { bare, isSameJson, violationsOf } from './promises.ts';

const numRuns = SOAK ? 5_000 : 40;

const call = (id: number, chars = 900): Wire[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: `c${id}`, type: 'function', function: { name: 'Read', arguments: `{"file_path":"src/f${id}.ts"}` } },
    ],
  },
  { role: 'tool', tool_call_id: `c${id}`, content: `line of src/f${id}.ts\n`.repeat(Math.ceil(chars / 20)) },
];
const long = (turns: number): Wire[] => [
  { role: 'user', content: 'Mend the parser.' },
  ...Array.from({ length: turns }, (_, i) => call(i)).flat(),
];
const show = (messages: readonly Wire[]) => JSON.stringify(messages);

describe('undo and redo', () => {
  test('take the newest fold back and make it again, byte for byte', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>({ max_messages: 20 }, { onEvent: (event) => events.push(event) });
    const history = long(8);
    const whole = await window.fit(history);
    history.push(...call(8), ...call(9));
    const folded = await window.fit(history);
    expect(folded.receipt?.fold).toBe(1);
    const undone = await window.undo();
    expect(undone).toMatchObject({ reason: 'undo', before: folded.receipt?.after, turns: [] });
    const before = await window.fit(history);
    expect(show(before.messages)).toBe(show(history));
    expect(show(before.messages.slice(0, whole.messages.length))).toBe(show(whole.messages));
    expect(before.receipt).toBeUndefined();
    await window.redo();
    expect(show((await window.fit(history)).messages)).toBe(show(folded.messages));
    expect(await window.redo()).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(['fold-end', 'fold-undo', 'fold-redo']);
  });

  test('after an undo no fold is due until the view has grown by what the fold had freed', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 20, target: 0.5 });
    const history = long(10);
    await window.fit(history);
    await window.undo();
    let folds = 0;
    let calls = 0;
    while (folds === 0 && calls < 20) {
      history.push(...call(100 + calls++));
      if ((await window.fit(history)).receipt) folds++;
    }
    expect(history.length).toBe(33);
  });

  test('after an undo a fold is due at once above the limit', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 0, max_tokens: 2_500, limit: 3_500 });
    const history = long(10);
    expect((await window.fit(history)).receipt).toBeDefined();
    await window.undo();
    history.push(...call(20, 3_000));
    const { receipt, metrics } = await window.fit(history);
    expect(receipt?.reason).toBe('tokens');
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(2_500);
  });

  test('an undo that would pass the limit is refused with the sizes, and nothing changes', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 0, limit: 3_000 });
    const history = long(11);
    const { messages } = await window.fit(history);
    const state = JSON.stringify(window.state());
    const refusal = await window.undo().catch((error: unknown) => error);
    expect(isHoldfastError(refusal) && refusal.code).toBe('OVER_BUDGET');
    expect(String(refusal)).toMatch(
      /undo refused: without the fold the view has \d+ tokens \(23 messages\), the limit is 3000/,
    );
    expect(JSON.stringify(window.state())).toBe(state);
    expect(show((await window.fit(history)).messages)).toBe(show(messages));
  });

  test.each([{ max_messages: 20 }, { max_messages: 0, max_tokens: 3_000 }, {}])(
    'a window that is restored after an undo goes on as the living one, with %j',
    async (given) => {
      const parts = { archive: memoryArchive<Wire>() };
      const living = new ConversationWindow<Wire>(given, parts);
      const history = long(60);
      await living.fit(history);
      await living.undo();
      const state = JSON.parse(JSON.stringify(living.state()));
      const restored = new ConversationWindow<Wire>(given, { ...parts, state });
      expect(JSON.parse(JSON.stringify(restored.state()))).toEqual(state);
      for (let i = 100; i < 130; i++) {
        history.push(...call(i));
        const [one, other] = [await living.fit(history), await restored.fit(history)];
        expect(other.receipt?.fold).toBe(one.receipt?.fold);
        expect(show(other.messages)).toBe(show(one.messages));
      }
    },
  );

  test('nothing to take back is no error', async () => {
    const window = new ConversationWindow<Wire>();
    expect(await window.undo()).toBeUndefined();
    await window.fit(long(2));
    expect(await window.undo()).toBeUndefined();
    expect(await window.redo()).toBeUndefined();
  });

  test('a fold, or an edit of the history, forgets what could be redone', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 20 });
    const history = long(10);
    await window.fit(history);
    await window.undo();
    await window.compact(history);
    expect(await window.redo()).toBeUndefined();
    await window.undo();
    await window.fit([{ role: 'user', content: 'Something else.' }, ...history.slice(1)]);
    expect(await window.redo()).toBeUndefined();
  });

  test('goes as far back as the log reaches, one fold at a time', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 12 });
    const history = long(2);
    let folds = 0;
    for (let i = 2; i < 60; i++) {
      history.push(...call(i));
      if ((await window.fit(history)).receipt) folds++;
    }
    expect(folds).toBeGreaterThan(9);
    let undone = 0;
    while (await window.undo()) undone++;
    expect(undone).toBe(7);
    const { messages } = await window.fit(history);
    expect(violationsOf('openai-chat', messages)).toEqual([]);
    let redone = 0;
    while (await window.redo()) redone++;
    expect(redone).toBe(7);
  });

  test('without the originals in the archive it says which is missing', async () => {
    const archive = { ...memoryArchive<Wire>(), get: () => undefined };
    const window = new ConversationWindow<Wire>({ max_messages: 20 }, { archive });
    await window.fit(long(10));
    await expect(window.undo()).rejects.toMatchObject({ code: 'UNKNOWN_HANDLE' });
  });

  test('bound thinking that a fold took out is never put back', async () => {
    const dialect = dialectOf('anthropic');
    const window = new ConversationWindow<Wire>({ max_messages: 10, preserve_last_n: 2 }, { dialect });
    const turn = (i: number): Wire[] => [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: `hm ${i}`, signature: `s${i}` },
          { type: 'tool_use', id: `t${i}`, name: 'Read', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: `file ${i}` }] },
    ];
    const history: Wire[] = [{ role: 'user', content: 'go' }, ...Array.from({ length: 5 }, (_, i) => turn(i)).flat()];
    await window.fit(history);
    history.push(...turn(8));
    await window.fit(history);
    await window.undo();
    const { messages } = await window.fit(history);
    expect(messages).toHaveLength(history.length);
    expect(show(messages)).not.toContain('thinking');
    expect((await window.recall('m11')).messages[0]).toEqual(history[11]);
  });
});

/** One step of a person who folds, takes back, goes on and comes back later. */
type Deed = 'go on' | 'compact' | 'undo' | 'redo' | 'restart' | 'pin' | 'unpin';
const deeds = fc.array(
  fc.constantFrom<Deed>(
    'go on',
    'go on',
    'go on',
    'compact',
    'undo',
    'undo',
    'redo',
    'redo',
    'restart',
    'pin',
    'unpin',
  ),
  { minLength: 10, maxLength: 60 },
);

/** What is known to be at a place of the log: the same messages and the same folds must give the same bytes, whenever. */
async function wander(scenario: Scenario, path: readonly Deed[], format: Format): Promise<string[]> {
  const complaints: string[] = [];
  const parts = {
    dialect: dialectOf(format, scenario.thinking),
    archive: memoryArchive<Wire>(),
    logger: { warn() {} },
  };
  const { limit: _, ...config } = scenario.config;
  let window = new ConversationWindow<Wire>(config, parts);
  const met = new Map<string, readonly Wire[]>();
  const history: Wire[] = [];
  const steps = [...scenario.steps];
  /** What a log would keep of the view: its turns up to the last fold, undo or redo. */
  let log: { readonly told: number; readonly turns: readonly KeptTurn[] } = { told: 0, turns: [] };
  let mark = '';
  const allowed = async (doing: () => Promise<unknown>) => {
    await doing().catch((error: unknown) => {
      if (!isHoldfastError(error) || !['OVER_BUDGET', 'BAD_PIN'].includes(error.code)) throw error;
    });
  };
  for (const deed of path) {
    if (deed === 'go on') {
      do history.push(...(steps[0]?.messages ?? []));
      while (steps.shift()?.ask === false);
      await allowed(() => window.fit([...history]));
    } else if (deed === 'compact') await allowed(() => window.compact([...history]));
    else if (deed === 'undo') await allowed(() => window.undo());
    else if (deed === 'redo') await allowed(() => window.redo());
    else if (deed === 'pin') await allowed(async () => window.pin(scenario.dice % Math.max(1, history.length)));
    else if (deed === 'unpin') window.unpin(window.state().pins[0] ?? 0);
    else window = new ConversationWindow<Wire>(config, { ...parts, state: JSON.parse(JSON.stringify(window.state())) });
    const state = window.state();
    const { view, seen, pins, folds } = state;
    const { covered = 0, kept = [] } = state.log.at(-1) ?? {};
    const now = `${folds} ${covered}`;
    if (deed === 'undo' || deed === 'redo') log = { told: seen, turns: state.turns };
    else if (now !== mark) log = { told: covered, turns: kept };
    mark = now;
    const { view: _view, ...without } = state;
    const filled = await fillState(parts.dialect, { ...without, ...log }, (index) => history[index] as Wire);
    if (!isSameJson([filled.view, filled.turns], [view, state.turns]))
      complaints.push(`${deed}: another state from the log`);
    const firm = scenario.thinking === 'free' ? pins.filter((pin) => pin < seen) : [];
    const stands = new Set(firm.length === 0 ? [] : view.map((message) => bare(message as Wire)));
    for (const pin of firm)
      if (!stands.has(bare(history[pin] as Wire))) complaints.push(`${deed}: pinned ${pin} is gone`);
    for (const { rule, index } of violationsOf(format, view as Wire[])) {
      if (seen > 0 && deed !== 'go on') complaints.push(`${deed}: ${rule} at ${index}`);
    }
    if (scenario.thinking === 'bound') continue;
    const place = JSON.stringify([seen, state.log, pins]);
    const first = met.get(place) ?? (view as Wire[]);
    if (!isSameJson(first, view) && first.map(bare).join() !== view.map((message) => bare(message as Wire)).join())
      complaints.push(`${deed}: another view than the first time at ${seen} messages, ${state.log.length} folds`);
    met.set(place, view as Wire[]);
  }
  return complaints;
}

test.each(FORMATS.flatMap((format) => [[format, 'free'] as const, [format, 'bound'] as const]))(
  'fold, undo, fold, redo in any order, in %s with %s thinking: each state is as it was the first time',
  async (format, thinking) => {
    const property = fc.asyncProperty(scenarios(format, thinking), deeds, async (scenario, path) => {
      expect((await wander(scenario, path, format)).slice(0, 3)).toEqual([]);
    });
    await fc.assert(property, { numRuns, ...(SOAK ? {} : { seed: 20261115 }), endOnFailure: true });
  },
  600_000,
);

describe('pins', () => {
  const config = { max_messages: 20, max_tokens: 8_000 };

  test('no fold touches a pinned message', async () => {
    const window = new ConversationWindow<Wire>(config);
    const history = long(4);
    await window.fit(history);
    window.pin(4);
    const receipts: Receipt[] = [];
    for (let i = 4; i < 60; i++) {
      history.push(...call(i, 2_000));
      const { messages, receipt } = await window.fit(history);
      expect(messages).toContain(history[3]);
      expect(messages).toContain(history[4]);
      if (receipt) receipts.push(receipt);
    }
    expect(receipts.length).toBeGreaterThan(3);
    window.unpin(4);
    await window.compact([...history, { role: 'user', content: 'And now?' }]);
    expect(window.state().view).not.toContain(history[4]);
  });

  test('a pin goes with the state', async () => {
    const window = new ConversationWindow<Wire>(config);
    const history = long(4);
    await window.fit(history);
    window.pin(2);
    const later = new ConversationWindow<Wire>(config, { state: JSON.parse(JSON.stringify(window.state())) });
    for (let i = 4; i < 40; i++) history.push(...call(i));
    const { messages } = await later.fit(history);
    expect(messages.map(bare)).toContain(bare(history[2] as Wire));
  });

  test('pins take at most half of the budget', async () => {
    const window = new ConversationWindow<Wire>(config);
    await window.fit(long(8));
    window.pin(2);
    window.pin(4);
    window.pin(6);
    window.pin(8);
    window.pin(10);
    expect(() => window.pin(12)).toThrow(/takes pins to \d+ tokens and 12 messages, half of the budget is 4000 and 10/);
    expect(window.state().pins).toEqual([2, 4, 6, 8, 10]);
  });

  test('a fold that takes out what was pinned since is not made again', async () => {
    const window = new ConversationWindow<Wire>(config);
    const history = long(15);
    await window.fit(history);
    await window.undo();
    window.pin(1);
    await expect(window.redo()).rejects.toThrow(
      /message 1 is pinned, and the fold to redo takes it out: unpin it first/,
    );
    expect((await window.fit(history)).messages).toContain(history[1]);
    window.unpin(1);
    expect(await window.redo()).toMatchObject({ reason: 'redo' });
  });

  test('an edit loses the pins of messages that are no more, says so, and keeps the others', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>(config, { onEvent: (event) => events.push(event) });
    const history = long(4);
    await window.fit(history);
    window.pin(4);
    window.pin(6);
    const edited = [...history];
    edited[6] = { ...(history[6] as Wire), content: 'another result' };
    edited[2] = { ...(history[2] as Wire), content: 'an earlier one' };
    await window.fit(edited);
    expect(window.state().pins).toEqual([4]);
    expect(events).toMatchObject([{ type: 'history-rewritten', index: 2, pins_lost: [6] }]);
  });

  test('what is folded away cannot be pinned, and says what to do', async () => {
    const window = new ConversationWindow<Wire>(config);
    await window.fit(long(15));
    expect(() => window.pin(3)).toThrow(/message 3 was folded away: undo\(\) that fold first/);
    expect(() => window.pin(-1)).toThrow(/message -1 is no place of a history/);
  });

  test('a message can be pinned before it arrives, and one that is too large is named', async () => {
    const window = new ConversationWindow<Wire>(config);
    window.pin(1);
    const { messages } = await window.fit(long(40));
    expect(messages.some((message) => show([message]).includes('src/f0.ts'))).toBe(true);
    const other = new ConversationWindow<Wire>(config);
    other.pin(2);
    const refusal = await other
      .fit([{ role: 'user', content: 'go' }, ...call(1, 40_000), { role: 'user', content: 'on' }])
      .catch((error: unknown) => error);
    expect(isHoldfastError(refusal) && refusal.code).toBe('BAD_PIN');
    expect(String(refusal)).toContain('message 2 takes pins to');
  });
});
