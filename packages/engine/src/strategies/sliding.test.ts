import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../../scripts/soak.ts';
import { ConversationWindow, memoryArchive, type Strategy } from '../index.ts';
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

test('a cold start with sliding asks for verdicts on no more turns than the budget could hold', async () => {
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
