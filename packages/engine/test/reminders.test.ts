import { describe, expect, test } from 'vitest';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  memoryArchive,
  type WindowEvent,
  type WindowParts,
} from '../src/index.ts';
import { toolTurn } from './agent-histories.ts';
import { CONTENT_FORMATS, dialectOf, type Format, PIXEL, type Wire } from './histories.ts';
import { violationsOf } from './promises.ts';

const LINES = Array.from({ length: 120 }, (_, i) => `${i + 1}\tconst value_${i + 1} = compute_all(${i + 1});`);
const code = (line: number) => `const value_${line} = compute_all(${line});`;
const CONFIG = { max_messages: 0, max_tokens: 6_000 };

/** Reads a file, works elsewhere until a fold has removed the read, then edits the file. */
function history(format: Format, edited = 60): Wire[] {
  return [
    { role: 'user', content: 'Rename the values.' },
    ...toolTurn(format, 'first', { input: { file_path: 'src/values.ts' }, result: LINES.join('\n') }),
    ...Array.from({ length: 32 }, (_, i) =>
      toolTurn(format, `other_${i}`, {
        input: { file_path: `lib/other_${i}.ts` },
        result: `other line ${i} of the library\n`.repeat(40),
      }),
    ).flat(),
    ...edit(format, 'edit', edited),
  ];
}

function edit(format: Format, id: string, line: number): Wire[] {
  const input = { file_path: 'src/values.ts', old_string: code(line), new_string: `${code(line)} // done` };
  return toolTurn(format, id, { name: 'Edit', input, result: 'The file was changed.' });
}

function windowIn(format: Format, config: ConversationHistoryConfig = CONFIG, parts: WindowParts<Wire> = {}) {
  return new ConversationWindow<Wire>(config, { dialect: dialectOf(format), logger: { warn() {} }, ...parts });
}

/** Fits the history as an agent does: before each answer. */
async function play(window: ConversationWindow<Wire>, format: Format, messages: readonly Wire[]) {
  const { read } = dialectOf(format);
  for (let i = 1; i < messages.length; i++)
    if (read(messages[i] as Wire).role === 'assistant') await window.fit(messages.slice(0, i));
  return window.fit(messages);
}

const json = (value: unknown) => JSON.stringify(value);

test('a reminder has no line for an image between the lines of a file', async () => {
  const messages = history('anthropic', 56);
  const text = (from: number, to: number) => ({ type: 'text', text: LINES.slice(from, to).join('\n') });
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
  const result = { type: 'tool_result', tool_use_id: 'first', content: [text(0, 54), image, text(54, 120)] };
  const shown = messages.with(2, { role: 'user', content: [result] });
  const { reminder } = await play(windowIn('anthropic'), 'anthropic', shown);
  expect(reminder?.text).toContain(`of 120 lines`);
  expect(reminder?.text).toContain(`${LINES[53]}\n${LINES[54]}`);
});

describe.each(CONTENT_FORMATS)('a reminder in %s', (format) => {
  test('never brings a request over the limits of the provider', async () => {
    const messages = history(format);
    const archive = memoryArchive<Wire>();
    const window = windowIn(format, CONFIG, { archive });
    await play(window, format, messages.slice(0, -2));
    const state = JSON.parse(json(window.state()));
    const bare = windowIn(format, { ...CONFIG, reminders: false }, { state, archive });
    const { messages: view } = await bare.fit(messages);
    const chars = view.reduce((sum, message) => sum + dialectOf(format).read(message).chars, 0);
    const bytes = 3 * chars + 100 * view.length + 100;
    const limited = windowIn(format, CONFIG, { state, archive, dialect: dialectOf(format, 'bound', { bytes }) });
    expect((await limited.fit(messages)).messages).toEqual(view);
    expect((await windowIn(format, CONFIG, { state, archive }).fit(messages)).reminder).toBeDefined();
  });

  test('brings back the lines around an edit, at the end of the newest message', async () => {
    const window = windowIn(format);
    const messages = history(format);
    const { messages: view, reminder, metrics } = await play(window, format, messages);
    expect(violationsOf(format, view)).toEqual([]);
    expect(reminder?.at).toBe(messages.length - 1);
    expect(reminder?.handles).toEqual(['m2']);
    expect(reminder?.tokens).toBe(metrics.reminderTokens);
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(CONFIG.max_tokens);
    const last = json(view.at(-1));
    expect(last).toContain('recall m2 for all');
    expect(last).toContain(code(61));
    expect(json(view.slice(0, -1))).not.toContain(code(61));
    expect(last).toContain('The file was changed.');
    await expect(window.recall(`m${messages.length - 1}`)).resolves.toMatchObject({ messages: [messages.at(-1)] });
  });

  test('brings back what the agent wrote many edits ago', async () => {
    const steps = ['load_tables', 'parse_rows', 'check_totals', 'merge_lists', 'print_report', 'close_files'];
    const opening = (i: number) => `${steps[i]}();`;
    const closing = (i: number) => `// Nothing of number ${i} may be left over when this is done.`;
    const write = (i: number, old_string: string, new_string: string) =>
      toolTurn(format, `write_${i}`, {
        name: 'Edit',
        input: { file_path: 'src/steps.ts', old_string, new_string },
        result: 'The file was changed.',
      });
    const writes = Array.from({ length: 6 }, (_, i) => write(i, `empty_step_${i}`, `${opening(i)}\n${closing(i)}`));
    const elsewhere = history(format).slice(1, -2);
    const newest = write(9, opening(0), 'nobody_opens();');
    const messages = [{ role: 'user', content: 'Write the steps.' }, ...writes.flat(), ...elsewhere, ...newest];
    const { reminder } = await play(windowIn(format), format, messages);
    expect(reminder?.text).toContain(closing(0));
  });

  test('brings the nearest lines, even if many short edits of the file are newer', async () => {
    const notes = Array.from({ length: 10 }, (_, i) =>
      toolTurn(format, `note_${i}`, {
        name: 'Edit',
        input: {
          file_path: 'src/values.ts',
          old_string: `// place ${i}`,
          new_string: `// note ${i}: compute_all is slow here, see the ticket about it before you change anything`,
        },
        result: 'The file was changed.',
      }),
    );
    const [ask, call, result, ...rest] = history(format) as [Wire, Wire, Wire, ...Wire[]];
    const { reminder } = await play(windowIn(format), format, [ask, call, result, ...notes.flat(), ...rest]);
    expect(reminder?.text).toContain(code(61));
  });

  test('brings lines of a file that was read and not changed yet, if an edit elsewhere is about them', async () => {
    const messages = history(format).slice(0, -2);
    const prices = Array.from({ length: 80 }, (_, i) =>
      i === 40 ? 'const price = shippingRate(parcel.weight, zoneOf(parcel));' : `// paragraph ${i} of another chapter`,
    );
    const read = toolTurn(format, 'prices', { input: { file_path: 'src/prices.ts' }, result: prices.join('\n') });
    const input = {
      file_path: 'src/shipping.ts',
      old_string: 'function shipping_rate(weight) {',
      new_string: 'function shipping_rate(weight, zone) {',
    };
    const changed = toolTurn(format, 'change', { name: 'Edit', input, result: 'The file was changed.' });
    const { reminder } = await play(windowIn(format), format, [...messages.toSpliced(45, 0, ...read), ...changed]);
    expect(reminder?.text).toContain('"src/prices.ts"');
    expect(reminder?.text).toContain(prices[40]);
  });

  test.each([
    ['a command', { name: 'Bash', input: { command: "sed -i 's/rate/price/' src/prices.ts" }, result: '' }],
    ['its removal', { name: 'Bash', input: { command: 'rm src/prices.ts' }, result: '' }],
    ['a new text', { name: 'Write', input: { file_path: 'src/prices.ts', content: 'none' }, result: 'Written.' }],
  ])('brings nothing of a file that was changed by %s since, in the view', async (_, change) => {
    const messages = history(format).slice(0, -2);
    const prices = Array.from({ length: 80 }, (_, i) => `const shipping_rate_${i} = rateOf(parcel, zone);`).join('\n');
    const read = toolTurn(format, 'prices', { input: { file_path: 'src/prices.ts' }, result: prices });
    const before = messages.toSpliced(45, 0, ...read);
    const changed = toolTurn(format, 'changed', change);
    const input = { file_path: 'src/b.ts', old_string: 'shipping_rate_40(parcel);', new_string: 'shipping_rate_41();' };
    const edited = toolTurn(format, 'edited', { name: 'Edit', input, result: 'The file was changed.' });
    const window = windowIn(format);
    const first = await play(window, format, [...before, ...changed]);
    expect(first.reminder).toBeUndefined();
    expect((await window.fit([...before, ...changed, ...edited])).reminder).toBeUndefined();
    const { reminder } = await play(windowIn(format), format, [...before, ...edited]);
    expect(reminder?.text).toContain('shipping_rate_40 =');
  });

  test('stays as it is until the next fold, on retries and after a restart', async () => {
    const window = windowIn(format);
    const messages = history(format);
    const { messages: view } = await play(window, format, messages);
    const again = await window.fit(messages);
    expect(again.messages).toEqual(view);
    expect(again.reminder).toBeUndefined();
    const restored = windowIn(format, CONFIG, { state: JSON.parse(json(window.state())) });
    expect((await restored.fit(messages)).messages).toEqual(view);
    const longer = [...messages, ...toolTurn(format, 'more', { result: 'nothing new' })];
    const next = await window.fit(longer);
    expect(next.messages.slice(0, view.length)).toEqual(view);
    expect((await restored.fit(longer)).messages).toEqual(next.messages);
    expect(await window.fit(messages.slice(0, -1).concat(edit(format, 'edit', 90).slice(-1)))).toBeDefined();
  });

  test('does not repeat what is in the view', async () => {
    const window = windowIn(format);
    const messages = history(format);
    await play(window, format, messages);
    const { reminder, messages: view } = await window.fit([...messages, ...edit(format, 'next', 60)]);
    expect(json(view).split(code(61)).length - 1).toBe(1);
    for (const line of [...(reminder?.text.matchAll(/value_(\d+) =/g) ?? [])])
      expect(json(view).split(code(Number(line[1]))).length - 1).toBe(1);
  });

  test('is removed by an edit of its message, and stays if the edit is after it', async () => {
    const window = windowIn(format);
    const messages = history(format);
    const { messages: view } = await play(window, format, messages);
    const more = toolTurn(format, 'more', { result: 'one' });
    await window.fit([...messages, ...more]);
    const behind = await window.fit([...messages, ...toolTurn(format, 'more', { result: 'two' })]);
    expect(behind.messages.slice(0, view.length)).toEqual(view);
    const before = await window.fit([...messages.slice(0, -2), ...toolTurn(format, 'else', { result: 'other' })]);
    expect(json(before.messages)).not.toContain('[Reminder');
  });

  test('comes back with an undo of the fold that removed it, and with a redo', async () => {
    const window = windowIn(format);
    const messages = history(format);
    const { messages: view, reminder } = await play(window, format, messages);
    const receipt = await window.compact(messages);
    const reminders = receipt.turns.flatMap(({ reminder }) => reminder ?? []);
    const compacted = (await window.fit(messages)).messages;
    const kept = json(compacted).includes('[Reminder');
    expect(reminders).toEqual([{ at: messages.length - 1, tokens: reminder?.tokens, kept }]);
    await window.undo();
    expect((await window.fit(messages)).messages).toEqual(view);
    await window.redo();
    expect((await window.fit(messages)).messages).toEqual(compacted);
  });

  test('never makes the view too large', async () => {
    const window = windowIn(format);
    const messages = history(format);
    const { metrics } = await play(window, format, messages);
    for (let max = metrics.estimatedTokens; max > 300; max -= 100) {
      window.resize({ max_tokens: max });
      const fitted = await window.fit(messages).catch((error: { code?: string }) => error.code);
      if (typeof fitted === 'string' || fitted === undefined) {
        // What is refused is refused without reminders, too.
        const plain = windowIn(format, { ...CONFIG, max_tokens: max, reminders: false });
        await expect(plain.fit(messages)).rejects.toMatchObject({ code: 'OVER_BUDGET' });
      } else expect(fitted.metrics.estimatedTokens).toBeLessThanOrEqual(max);
    }
  });

  test('is an event, and can be turned off', async () => {
    const events: WindowEvent[] = [];
    await play(windowIn(format, CONFIG, { onEvent: (event) => events.push(event) }), format, history(format));
    expect(events.filter(({ type }) => type === 'reminder-add')).toHaveLength(1);
    const { messages } = await play(windowIn(format, { ...CONFIG, reminders: false }), format, history(format));
    expect(json(messages)).not.toContain('[Reminder');
  });

  test('does without what the archive has lost', async () => {
    for (const get of [() => undefined, () => Promise.reject(new Error('gone'))]) {
      const archive = { put() {}, get };
      const { reminder } = await play(windowIn(format, CONFIG, { archive }), format, history(format));
      expect(reminder).toBeUndefined();
    }
  });

  test('is left out if the caller gives up while the archive is slow', async () => {
    const controller = new AbortController();
    const lines = { asked: () => {} };
    const isAsked = new Promise<void>((resolve) => {
      lines.asked = resolve;
    });
    const get = () => {
      lines.asked();
      return new Promise<never>(() => {});
    };
    const window = windowIn(format, CONFIG, { archive: { put() {}, get } });
    const messages = history(format);
    await play(window, format, messages.slice(0, -2));
    const fitting = window.fit(messages, { signal: controller.signal });
    await isAsked;
    controller.abort();
    expect((await fitting).reminder).toBeUndefined();
    expect((await fitting).messages.at(-1)).toEqual(messages.at(-1));
  });

  test('is not on a transient message', async () => {
    const window = windowIn(format);
    const messages = history(format);
    await play(window, format, messages.slice(0, -2));
    const clock = { role: 'user', content: 'It is noon.' };
    const { messages: view, reminder } = await window.fit(messages, { transient: clock });
    expect(reminder?.at).toBe(messages.length - 1);
    expect(view.at(-1)).toEqual(clock);
    expect(json(view.at(-2))).toContain('[Reminder');
  });
});

test('the user’s words stay as they are, with a reminder after them', async () => {
  const messages = [...history('anthropic').slice(0, -2), { role: 'assistant', content: 'Which one?' }];
  const words = 'In src/values.ts, rename value_60.';
  const { messages: view } = await play(windowIn('anthropic'), 'anthropic', [
    ...messages,
    { role: 'user', content: words },
  ]);
  const content = view.at(-1)?.content as { text: string }[];
  expect(content[0]?.text).toBe(words);
  expect(content[1]?.text).toMatch(/^\[Reminder/);
  expect(content[1]?.text).toContain(code(60));
});

test('after a fold, a greeting brings nothing, although the last answer named a folded file', async () => {
  const config = { max_messages: 0, max_tokens: 9_000 };
  const archive = memoryArchive<Wire>();
  const window = windowIn('anthropic', config, { archive });
  const answer = { role: 'assistant', content: `It is at src/values.ts:60, in ${code(60)}.` };
  const messages = [...history('anthropic').slice(0, -2), answer];
  await play(window, 'anthropic', messages);
  await window.compact(messages);
  const state = JSON.parse(json(window.state()));
  const said = async (content: string) => {
    const again = windowIn('anthropic', config, { state, archive });
    return (await again.fit([...messages, { role: 'user', content }])).reminder;
  };
  expect(await said('Hello again.')).toBeUndefined();
  expect((await said('Yes, change it.'))?.about).toEqual(['src/values.ts']);
});

test('a question gets less room than one about a change', async () => {
  const config = { max_messages: 0, max_tokens: 9_000 };
  const before = history('anthropic').slice(0, -2);
  const ask: Wire[] = [
    { role: 'assistant', content: 'Which one?' },
    { role: 'user', content: 'What is value_60 in src/values.ts?' },
  ];
  const added = async (newest: readonly Wire[]) =>
    (await play(windowIn('anthropic', config), 'anthropic', [...before, ...newest])).reminder;
  const change = toolTurn('anthropic', 'new', {
    name: 'Write',
    input: { file_path: 'src/new.ts', content: 'none' },
    result: 'Written.',
  });
  const [asked, about] = [await added(ask), await added([...change, ...ask])];
  expect(asked?.text).toContain(code(60));
  expect(asked?.tokens).toBeLessThan(0.5 * (about?.tokens ?? 0));
});

test('what is known about an id comes back when the user asks about it', async () => {
  const order = [
    'order_id: 7731402',
    'item: gift card',
    ...Array.from({ length: 60 }, (_, i) => `detail ${i} of the parcel`),
  ];
  const messages = [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Is my gift on its way?' },
    ...toolTurn('openai-chat', 'order', { name: 'get_order', input: { id: '7731402' }, result: order.join('\n') }),
    ...Array.from({ length: 36 }, (_, i) => [
      { role: 'assistant', content: `Answer ${i}. ${'Some long explanation follows here. '.repeat(20)}` },
      { role: 'user', content: `Question ${i}? ${'It is about something else entirely. '.repeat(10)}` },
    ]).flat(),
    { role: 'assistant', content: 'Anything else?' },
    { role: 'user', content: 'Yes: has 7731402 arrived?' },
  ];
  const { messages: view, reminder } = await play(windowIn('openai-chat'), 'openai-chat', messages);
  expect(json(view.slice(0, -1))).not.toContain('gift card');
  expect(reminder?.handles).toEqual(['m4']);
  expect(view.at(-1)?.content).toMatch(/^Yes: has 7731402 arrived\?\n\n\[Reminder/);
  expect(view.at(-1)?.content).toContain('item: gift card');
});

test('its room follows what was folded, not a budget that is never used', async () => {
  const config = { max_messages: 20, max_tokens: 1_000_000 };
  const { reminder, metrics } = await play(windowIn('openai-chat', config), 'openai-chat', history('openai-chat'));
  const folded = metrics.historyTokens - metrics.estimatedTokens;
  expect(reminder?.tokens).toBeGreaterThan(0);
  expect(reminder?.tokens).toBeLessThanOrEqual(0.15 * folded);
});

test('lines from before a command that changed the file do not come back', async () => {
  const messages = history('openai-chat');
  for (const command of [
    "sed -i 's/compute_all/compute_any/' src/values.ts",
    'git rebase origin/main',
    'git checkout main',
  ]) {
    const changed = toolTurn('openai-chat', 'change', { name: 'Bash', input: { command }, result: '' });
    const { reminder } = await play(windowIn('openai-chat'), 'openai-chat', messages.toSpliced(3, 0, ...changed));
    expect(reminder, command).toBeUndefined();
  }
  const looks = toolTurn('openai-chat', 'look', { name: 'Bash', input: { command: 'git stash list' }, result: '' });
  const { reminder } = await play(windowIn('openai-chat'), 'openai-chat', messages.toSpliced(3, 0, ...looks));
  expect(reminder).toBeDefined();
});
