import { describe, expect, test } from 'vitest';
import { FORMATS, type Wire } from '../../test/histories.ts';
import { isNoteText } from '../../test/promises.ts';
import { ConversationWindow, isHoldfastError, type WindowState } from '../index.ts';

const call = (id: number): Wire[] => [
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: `c${id}`, name: 'Read', input: { file_path: `src/f${id}.ts` } }],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: `c${id}`, content: `export const value_${id} = load_all();\n`.repeat(30) },
    ],
  },
];
const long = (turns: number): Wire[] => [
  { role: 'user', content: 'Mend src/f3.ts.' },
  ...Array.from({ length: turns }, (_, i) => call(i)).flat(),
];
const CONFIG = { max_messages: 20, max_tokens: 6_000 };
const HISTORY = long(30);

/** A state with folds, one of them undone, a pin, cuts, and something learned. */
async function realState(): Promise<WindowState<Wire>> {
  const window = new ConversationWindow<Wire>(CONFIG);
  for (const length of [25, 41, 61]) {
    await window.fit(HISTORY.slice(0, length));
    window.observe({ input_tokens: 1_000 + 10 * length });
  }
  window.pin(60);
  await window.undo();
  return JSON.parse(JSON.stringify(window.state())) as WindowState<Wire>;
}

type Place = readonly (string | number)[];

/** Every place in a value, but for the wire messages, whose shape is the dialect's; of a list its first and last item. */
function* places(value: unknown, path: Place = []): Generator<Place> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null || (path[0] === 'view' && path.length === 2)) return;
  const keys = Array.isArray(value) ? [...new Set([0, value.length - 1])].filter((at) => at >= 0) : Object.keys(value);
  for (const key of keys) yield* places((value as Record<string | number, unknown>)[key], [...path, key]);
}

function mangled(state: unknown, path: Place, value: unknown): unknown {
  const copy: unknown = structuredClone(state);
  let at = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  if (value === undefined && !Array.isArray(at)) delete at[last];
  else at[last] = value;
  return copy;
}

const VALUES: readonly unknown[] = [undefined, null, 'x', -1, 3, 1e12, 0.5, Number.NaN, [], {}, [null], true];

describe('an invalid state', () => {
  test('with any field changed, it is refused, or the window works', async () => {
    const state = await realState();
    let refused = 0;
    const odd: string[] = [];
    for (const path of places(state)) {
      for (const value of VALUES) {
        const shown = `${path.join('.')} = ${JSON.stringify(value) ?? 'undefined'}`;
        try {
          const window = new ConversationWindow<Wire>(CONFIG, {
            state: mangled(state, path, value) as WindowState<Wire>,
            logger: { warn: () => {} },
          });
          const { metrics } = await window.fit(HISTORY);
          if (!(metrics.estimatedTokens > 0)) odd.push(`${shown}: ${metrics.estimatedTokens} tokens`);
          await window.compact(HISTORY);
          window.state();
        } catch (error) {
          if (isHoldfastError(error) && error.code === 'BAD_STATE') refused++;
          // What was archived is not at hand here, and a budget may be out of reach.
          else if (!isHoldfastError(error)) odd.push(`${shown}: ${String(error)}`);
        }
      }
    }
    expect(odd).toEqual([]);
    expect(refused).toBeGreaterThan(500);
  });

  test.each([null, 5, 'state', [], {}])('%j is refused', (state) => {
    expect(() => new ConversationWindow({}, { state: state as unknown as WindowState })).toThrow(
      expect.objectContaining({ code: 'BAD_STATE' }),
    );
  });

  test('of another dialect is refused, whatever its name', async () => {
    const state = await realState();
    for (const dialect of FORMATS.filter((name) => name !== 'anthropic'))
      expect(() => new ConversationWindow<Wire>(CONFIG, { state: { ...state, dialect } })).toThrow(
        expect.objectContaining({ code: 'BAD_STATE', message: expect.stringContaining(dialect) }),
      );
  });
});

test('of another version is refused, and so is one with a digest of another version', async () => {
  const state = await realState();
  for (const [path, told] of [
    [['version'], 'not a state of version 1'],
    [['log', 0, 'digest', 'version'], 'digest has version 2, and this release of holdfast reads version 1'],
  ] as const) {
    const other = mangled(state, path, 2) as WindowState<Wire>;
    expect(() => new ConversationWindow<Wire>(CONFIG, { state: other })).toThrow(
      expect.objectContaining({ code: 'BAD_STATE', message: expect.stringContaining(told) }),
    );
  }
});

describe('changing what a window returned does not change the window', () => {
  test('its state, and the state it was restored from', async () => {
    const state = await realState();
    const window = new ConversationWindow<Wire>(CONFIG, { state });
    const before = JSON.stringify(window.state());
    for (const given of [state, window.state()] as { -readonly [K in keyof WindowState]: unknown }[]) {
      (given.log as unknown[]).length = 0;
      (given.undone as unknown[]).length = 0;
      (given.revisions as unknown[]).push([0, 9]);
      (given.pins as unknown[]).push(1);
      (given.turns as unknown[]).length = 0;
      Object.assign(given.calibration as object, { slope: 9 });
    }
    expect(JSON.stringify(window.state())).toBe(before);
  });

  test('its note is frozen, and the same in each view', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 20 });
    const { messages, receipt } = await window.fit(HISTORY);
    const at = messages.findIndex((message) => isNoteText(message, receipt?.note));
    expect(() => Object.assign(messages[at] as object, { content: 'forged' })).toThrow(TypeError);
    const again = await window.fit(HISTORY);
    expect(again.messages[at]).toBe(messages[at]);
    expect(again.messages[at]?.content).toBe(receipt?.note);
  });
});
