import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../../scripts/soak.ts';
import { ConversationWindow, type Dialect, memoryArchive, openaiChat, type Strategy } from '../index.ts';
import { sliding } from './sliding.ts';

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}

/** A chat history: words of the user, answers, turns of one to three calls, system messages, and a call that recalls. */
function historyOf(kinds: readonly number[], chars: number): Message[] {
  return kinds.flatMap((kind, at): Message[] => {
    const content = `${at} `.padEnd(1 + ((at * 37) % chars), 'x');
    if (kind === 0) return [{ role: 'user', content }];
    if (kind === 1) return [{ role: 'assistant', content }];
    if (kind === 5) return [{ role: 'system', content }];
    const ids = Array.from({ length: kind > 5 ? 1 : kind - 1 }, (_, i) => `c${at}_${i}`);
    const name = kind > 5 ? 'recall' : 'read';
    const calls = ids.map((id) => ({ id, type: 'function', function: { name, arguments: '{}' } }));
    return [
      { role: 'assistant', content: '', tool_calls: calls },
      ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content })),
    ];
  });
}

/** The same in Anthropic's format, with thinking: alone, before words and calls; and with words next to results. */
function anthropicOf(kinds: readonly number[], chars: number): unknown[] {
  return kinds.flatMap((kind, at): unknown[] => {
    const text = `${at} `.padEnd(1 + ((at * 37) % chars), 'x');
    const thinking = { type: 'thinking', thinking: text, signature: `s${at}` };
    if (kind === 0) return [{ role: 'user', content: text }];
    if (kind === 1) return [{ role: 'assistant', content: [thinking, { type: 'text', text }] }];
    if (kind === 2) return [{ role: 'assistant', content: [thinking] }];
    const results = [{ type: 'tool_result', tool_use_id: `c${at}`, content: text }];
    return [
      {
        role: 'assistant',
        content: [...(kind > 4 ? [thinking] : []), { type: 'tool_use', id: `c${at}`, name: 'read', input: {} }],
      },
      { role: 'user', content: kind === 6 ? [...results, { type: 'text', text }] : results },
    ];
  });
}

interface Bounds {
  readonly max_messages: number;
  readonly max_tokens: number;
  readonly preserve_first_n: number;
  readonly preserve_last_n: number;
}

function cold<M>(strategy: Strategy, history: readonly M[], bounds: Partial<Bounds>) {
  const archive = memoryArchive<M>();
  const window = new ConversationWindow<M>({ ...bounds, strategy }, { archive, logger: { warn() {} } });
  return window.fit(history).then(
    (fitted) => ({ ...fitted, state: window.state(), all: history.map((_, i) => archive.get(`m${i}`)) }),
    (error) => String(error),
  );
}

const plain: Strategy = {
  ...sliding,
  judge: (turns, budget) => ({ ...sliding.judge(turns, budget), note: 'none' }),
};
const told: Strategy = {
  ...sliding,
  judge: (turns, budget) => ({ ...sliding.judge(turns, budget), note: 'digest' }),
};

test.each([
  ['chat', historyOf, sliding],
  ['Anthropic', anthropicOf, sliding],
  ['chat without a note', historyOf, plain],
  ['Anthropic without a note', anthropicOf, plain],
  ['chat with a digest', historyOf, told],
])(
  'a cold start gives the same view, receipt and archive whether or not old turns are shown to the strategy: %s',
  async (_name, make, strategy) => {
    const kinds = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 120, size: 'max' });
    const bounds = fc.record<Bounds>({
      max_messages: fc.integer({ min: 3, max: 60 }),
      max_tokens: fc.integer({ min: 800, max: 4_000 }),
      preserve_first_n: fc.integer({ min: 0, max: 6 }),
      preserve_last_n: fc.integer({ min: 0, max: 6 }),
    });
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(kinds, bounds, fc.integer({ min: 2, max: 400 }), async (turns, limits, chars) => {
        const history = make([0, ...turns], chars);
        const { newest: _, ...whole } = strategy;
        const folded = await cold<unknown>(strategy, history, limits);
        expect(folded).toEqual(await cold<unknown>(whole, history, limits));
        if (typeof folded === 'object' && folded.receipt) compared++;
      }),
      { seed: 16, numRuns: SOAK ? 2_000 : 60 },
    );
    expect(compared).toBeGreaterThan(30);
  },
);

test('a cold start with sliding asks for verdicts on at most as many turns as the budget could hold', async () => {
  const sizes: number[] = [];
  const counting: Strategy = {
    ...sliding,
    judge: (turns, budget) => {
      sizes.push(turns.length);
      return sliding.judge(turns, budget);
    },
  };
  const calls = Array.from({ length: 5_000 }, () => 2);
  await cold(counting, historyOf([0, ...calls, 0], 80), { max_messages: 100 });
  expect(sizes[0]).toBeLessThan(110);
});

/** The built-in dialect, which counts how often it is asked, and messages that count how often their content is read. */
function counted(history: readonly Message[]) {
  const asked = { read: 0, text: 0, withMarkers: 0 };
  const chat = openaiChat<Message>();
  const dialect: Dialect<Message> = {
    ...chat,
    read: (message) => {
      asked.read++;
      return chat.read(message);
    },
    text: (message) => {
      asked.text++;
      return chat.text(message);
    },
    withMarkers: (message, keep) => {
      asked.withMarkers++;
      return chat.withMarkers(message, keep);
    },
  };
  const reads = history.map(() => 0);
  const messages = history.map(({ content, ...rest }, i) => ({
    ...rest,
    get content() {
      reads[i] = (reads[i] ?? 0) + 1;
      return content;
    },
  }));
  return { asked, reads, dialect, messages };
}

test('a cold start with sliding reads what it drops once, and hashes what it keeps when the state is asked for', async () => {
  const calls = Array.from({ length: 500 }, () => 2);
  const { asked, reads, dialect, messages } = counted(historyOf([0, ...calls, 0], 80));
  const window = new ConversationWindow<Message>({ strategy: 'sliding', max_messages: 100 }, { dialect });
  const view = await window.fit(messages);
  // Once each for all, once more to check the view, and a few for the note.
  expect(asked.read).toBeLessThanOrEqual(messages.length + view.messages.length + 4);
  // Whether the user's words answer a call; no file or name is known that they could remind of.
  expect(asked.text).toBeLessThanOrEqual(2);
  // The last message, and the last before the newest turn.
  expect(asked.withMarkers).toBe(2);
  const kept = new Set(view.messages);
  const dropped = reads.filter((_, i) => !kept.has(messages[i] as Message));
  expect(dropped.length).toBeGreaterThan(900);
  // For the snapshot, for its length, and as a result.
  expect(Math.max(...dropped)).toBeLessThanOrEqual(3);
  const turns = window.state().log[0]?.kept ?? [];
  expect(turns.every(({ hash }) => hash)).toBe(true);
  expect(asked.withMarkers).toBeGreaterThan(40);
});

test('a state requested late has the hashes of the original messages, even if they were changed in place since', async () => {
  const given = () => historyOf([0, ...Array.from({ length: 60 }, () => 2), 0], 80);
  const open = () => new ConversationWindow<Message>({ strategy: 'sliding', max_messages: 40 });
  const [one, other] = [open(), open()];
  const history = given();
  await one.fit(history);
  await other.fit(given());
  const early = JSON.stringify(other.state().log);
  for (const message of history) Object.assign(message, { content: 'changed' });
  expect(JSON.stringify(one.state().log)).toBe(early);
});
