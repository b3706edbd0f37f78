import { describe, expect, test } from 'vitest';
import { ConversationWindow } from '../src/index.ts';
import { text, toolTurn } from './agent-histories.ts';
import { CONTENT_FORMATS, dialectOf, type Format, type Wire } from './histories.ts';
import { violationsOf } from './promises.ts';

const WRITTEN = 3;

/** Writes files with a little reading in between, until `fold` must leave something out. */
function history(format: Format): Wire[] {
  return [
    { role: 'user', content: 'Write the files.' },
    ...Array.from({ length: 30 }, (_, i) =>
      toolTurn(
        format,
        `call_${i}`,
        i % 5 === WRITTEN
          ? { name: 'Write', input: { file_path: `src/file_${i}.ts`, content: text(8_000, i) }, result: 'Written.' }
          : { input: { file_path: `lib/other_${i}.ts` }, result: text(600, 100 + i) },
      ),
    ).flat(),
  ];
}

function windowIn(format: Format, state?: unknown) {
  const parts = { dialect: dialectOf(format), logger: { warn() {} }, ...(state ? { state: state as never } : {}) };
  return new ConversationWindow<Wire>({ max_messages: 0, max_tokens: 6_500, prefer: 'memory' }, parts);
}

const json = (value: unknown) => JSON.stringify(value);

// Gemini signs calls, and what is signed stays.
describe.each(CONTENT_FORMATS)('long arguments in %s', (format) => {
  test('are shortened in calls that stay, with a handle that brings back the original', async () => {
    const window = windowIn(format);
    const messages = history(format);
    const { messages: view } = await window.fit(messages);
    expect(violationsOf(format, view)).toEqual([]);
    const { read } = dialectOf(format);
    const shortened = view.flatMap((message) => {
      const [handle] = read(message).calls.flatMap((call) => /recall (m\d+)/.exec(json(call.input))?.[1] ?? []);
      return handle ? [{ message, handle }] : [];
    });
    expect(shortened.length).toBeGreaterThan(0);
    for (const { message, handle } of shortened) {
      const original = messages[Number(handle.slice(1))];
      expect((await window.recall(handle)).messages).toEqual([original]);
      const [before, after] = [original, message].map((one) => read(one as Wire).calls[0]);
      expect({ id: after?.id, name: after?.name }).toEqual({ id: before?.id, name: before?.name });
      const input = typeof after?.input === 'string' ? JSON.parse(after.input) : after?.input;
      expect(input).toMatchObject({ file_path: expect.stringContaining('src/file_') });
      expect(input.content.length).toBeLessThan(300);
    }
  });

  test('stay shortened after a restart', async () => {
    const window = windowIn(format);
    const messages = history(format);
    const { messages: view } = await window.fit(messages);
    const restored = windowIn(format, JSON.parse(json(window.state())));
    expect((await restored.fit(messages)).messages).toEqual(view);
  });

  test('of the newest calls stay whole', async () => {
    const messages = [
      ...history(format),
      ...toolTurn(format, 'last', {
        name: 'Write',
        input: { file_path: 'a.ts', content: text(2_000, 7) },
        result: 'ok',
      }),
    ];
    const { messages: view } = await windowIn(format).fit(messages);
    expect(view.at(-2)).toEqual(messages.at(-2));
  });

  test('of the newest calls are shortened where no view could hold them', async () => {
    const input = { file_path: 'src/page.html', content: text(80_000, 7) };
    const messages = [...history(format), ...toolTurn(format, 'last', { name: 'Write', input, result: 'Written.' })];
    const window = windowIn(format);
    const { messages: view } = await window.fit(messages);
    expect(violationsOf(format, view)).toEqual([]);
    const { read } = dialectOf(format);
    const [call] = read(view.at(-2) as Wire).calls;
    expect(json(call?.input)).toContain('src/page.html');
    const [handle = ''] = json(call?.input).match(/recall m\d+/) ?? [];
    expect((await window.recall(handle.slice('recall '.length))).messages).toEqual([messages.at(-2)]);
    const next = [...messages, ...toolTurn(format, 'after', { input: { file_path: 'a.ts' }, result: 'a short file' })];
    expect(violationsOf(format, (await window.fit(next)).messages)).toEqual([]);
  });

  test('of the newest calls stay whole up to the length that others are shortened to', async () => {
    const input = { file_path: 'src/page.html', note: text(600, 1), content: text(80_000, 7) };
    const messages = [...history(format), ...toolTurn(format, 'last', { name: 'Write', input, result: 'Written.' })];
    const { messages: view } = await windowIn(format).fit(messages);
    expect(violationsOf(format, view)).toEqual([]);
    const [call] = dialectOf(format).read(view.at(-2) as Wire).calls;
    const sent = typeof call?.input === 'string' ? JSON.parse(call.input) : call?.input;
    expect(sent.note).toBe(input.note);
    expect(sent.content.length).toBeLessThan(2_500);
  });

  test('of several newest calls share the room, and what came before stays', async () => {
    const calls = [1, 2, 3, 4].map((i) => ({ file_path: `src/page_${i}.html`, content: text(20_000, i) }));
    const newest = calls.flatMap((input, i) =>
      toolTurn(format, `last_${i}`, { name: 'Write', input, result: 'Written.' }),
    );
    const [asked, ...earlier] = history(format).slice(0, 5);
    const together = [newest.filter((_, i) => i % 2 === 0), newest.filter((_, i) => i % 2 === 1)];
    const messages = [asked as Wire, ...earlier, ...joined(format, together)];
    expect(violationsOf(format, messages)).toEqual([]);
    const { messages: view } = await windowIn(format).fit(messages);
    expect(violationsOf(format, view)).toEqual([]);
    expect(view.slice(0, 5)).toEqual(messages.slice(0, 5));
  });
});

/** The messages of calls made in parallel: in one message where the format has it so. */
function joined(format: Format, [calls = [], results = []]: readonly Wire[][]): Wire[] {
  const merged = (messages: Wire[], key: string) => [
    { ...messages[0], [key]: messages.flatMap((message) => (message as Record<string, unknown>)[key]) } as Wire,
  ];
  if (format === 'openai-responses') return [...calls, ...results];
  if (format === 'openai-chat') return [...merged(calls, 'tool_calls'), ...results];
  return [...merged(calls, 'content'), ...merged(results, 'content')];
}
