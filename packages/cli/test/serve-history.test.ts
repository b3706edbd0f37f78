import type { ExecutionOptions, ExecutionResult, Provider } from '@holdfast/agent';
import { CrewExecutor, type CrewMessage } from '@holdfast/crew';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InputValidator } from '../src/serve/guard/input-validator.ts';

interface Moves {
  readonly results: readonly string[];
  readonly tool: string;
  readonly input: string;
  readonly answer: string;
}

/** A model that makes these calls, gets these results, and answers with these words. */
function playing({ results, tool, input, answer }: Moves): Provider {
  const tokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return {
    name: 'playing',
    async execute(_: string, { onCheckpoint }: ExecutionOptions = {}) {
      const calls = results.map((_, i) => ({ id: `${i}`, name: tool, input: { input } }));
      await onCheckpoint?.({ type: 'state', conversationState: { open: { calls } } } as never);
      for (const [i, text] of results.entries())
        await onCheckpoint?.({ type: 'result', id: `${i}`, text, failed: false } as never);
      return { success: true, output: answer, tokens, requests: 1 } as unknown as ExecutionResult;
    },
  };
}

const emoji = (chars: number) => `x${'😀'.repeat(chars / 2)}`;
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    'a\0b',
    '\ud83d',
    'half \ude00',
    emoji(20_000).slice(0, 20_000),
    emoji(200_010),
    '\0'.repeat(200_001),
  ),
);
const validator = new InputValidator();
const validated = (history: unknown) =>
  validator.validateRequest(JSON.stringify({ input: '-', history })).history ?? [];

test('accepts every history that it returned, whatever tools and models say', async () => {
  const property = fc.asyncProperty(
    fc.record({
      results: fc.array(text, { maxLength: 4 }),
      tool: fc.oneof(fc.constant('look'), fc.constantFrom('a b', 'ünd', '', 'n'.repeat(80))),
      input: text,
      answer: text,
    }),
    fc.constantFrom('rolling' as const, 'fold' as const),
    async (moves, strategy) => {
      const agents = { a: { role: 'x' } };
      const crew = new CrewExecutor(
        { entry: 'a', agents, strategy, max_messages_per_request: 8 },
        { provider: () => playing(moves) },
      );
      let history: readonly CrewMessage[] = [];
      for (let i = 0; i < 3; i++) {
        const result = await crew.execute(`go ${i}`, history);
        expect(result.status).toBe('complete');
        history = validated(result.history);
        expect(history).toEqual(result.history);
      }
    },
  );
  await fc.assert(property, { numRuns: 25, seed: 20_261_115 });
});

test('accepts an answer with many calls and null content', () => {
  const tool_calls = Array.from({ length: 300 }, (_, i) => ({
    id: `c${i}`,
    type: 'function',
    function: { name: 'look', arguments: '{}' },
  }));
  expect(validated([{ role: 'assistant', content: null, tool_calls }])).toMatchObject([{ content: '' }]);
  expect(() => validated([{ role: 'assistant', content: null }])).toThrow(
    'history[0].content: must be a string if there are no tool_calls',
  );
});
