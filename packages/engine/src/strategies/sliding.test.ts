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

/** A chat history: words of the user, answers, and turns of one to three calls. */
function historyOf(kinds: readonly number[], chars: number): Message[] {
  return kinds.flatMap((kind, at): Message[] => {
    const content = `${at} `.padEnd(1 + ((at * 37) % chars), 'x');
    if (kind === 0) return [{ role: 'user', content }];
    if (kind === 1) return [{ role: 'assistant', content }];
    const ids = Array.from({ length: kind - 1 }, (_, i) => `c${at}_${i}`);
    const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } }));
    return [
      { role: 'assistant', content: '', tool_calls: calls },
      ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content })),
    ];
  });
}

function cold(strategy: Strategy, history: readonly Message[], max_messages: number, max_tokens: number) {
  const archive = memoryArchive<Message>();
  const window = new ConversationWindow<Message>(
    { strategy, max_messages, max_tokens, preserve_last_n: 4 },
    { archive, logger: { warn() {} } },
  );
  return window.fit(history).then(
    (fitted) => ({ ...fitted, state: window.state(), all: history.map((_, i) => archive.get(`m${i}`)) }),
    (error) => String(error),
  );
}

test('a cold start gives the same view, receipt and archive whether or not old turns are shown to the strategy', async () => {
  const kinds = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 120 });
  const scene = fc.tuple(kinds, fc.integer({ min: 8, max: 60 }), fc.integer({ min: 300, max: 4_000 }));
  await fc.assert(
    fc.asyncProperty(scene, fc.integer({ min: 2, max: 900 }), async ([turns, messages, tokens], chars) => {
      const history = historyOf([0, ...turns], chars);
      const { newest: _, ...shown } = sliding;
      expect(await cold(sliding, history, messages, tokens)).toEqual(await cold(shown, history, messages, tokens));
    }),
    { seed: 16, numRuns: SOAK ? 5_000 : 150 },
  );
});

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
  await cold(counting, historyOf([0, ...calls, 0], 80), 100, 1_000_000);
  expect(sizes[0]).toBeLessThan(110);
});

/** The built-in dialect, which counts how often it is asked, and messages that count how often their content is read. */
function counted(history: readonly Message[]) {
  const asked = { read: 0, withMarkers: 0 };
  const chat = openaiChat<Message>();
  const dialect: Dialect<Message> = {
    ...chat,
    read: (message) => {
      asked.read++;
      return chat.read(message);
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
