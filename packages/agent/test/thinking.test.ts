import type { Prompt, Script } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import { anthropicApi, type Checkpoint, resumeFrom, type Tool } from '../src/index.ts';
import { KEY, refused, standing } from './apis.ts';

const note: Tool = {
  name: 'note',
  description: 'notes',
  input_schema: { type: 'object', properties: {} },
  run: () => 'line of a result\n'.repeat(100),
};

/** As models do that think before they act, and not between their calls: `calls` of them for each prompt. */
function thinksOnce(calls: number): Script {
  let made = 0;
  return ({ results }: Prompt) => {
    if (results.length === 0) made = 0;
    if (made === calls) return { text: 'Done.' };
    const call = { name: 'note', input: { n: ++made } };
    return { ...(made === 1 ? { thinking: 'First a plan.' } : {}), text: `Step ${made}.`, calls: [call] };
  };
}

/** Who asked for thinking, request by request. */
function asked(requests: readonly { readonly path: string; readonly body?: unknown }[]): boolean[] {
  const sent = requests.filter(({ path }) => path === '/v1/messages');
  return sent.map(({ body }) => (body as { thinking?: unknown }).thinking !== undefined);
}

test.each(['claude-haiku-4-5', 'claude-sonnet-4-5', 'claude-sonnet-4-0'])(
  '%s: calls whose first thinking was folded go on without, and the next prompt has it again',
  async (model) => {
    const standIn = await standing({ script: thinksOnce(20), keep_bodies: 1_000 });
    const provider = anthropicApi({ base_url: standIn.url, api_key: KEY, model, thinking: true, tools: [note] });
    for (const conversation of [{ max_messages: 12 }, { max_tokens: 6_000, strategy: 'sliding' as const }]) {
      const from = standIn.requests.length;
      const first = await provider.execute('Go.', { conversation });
      expect(first).toMatchObject({ success: true, output: 'Done.' });
      expect(first.folds).toBeGreaterThan(1);
      const second = await provider.execute('Go on.', { conversation, conversationState: first.conversationState });
      expect(second.success).toBe(true);
      const thinking = asked(standIn.requests.slice(from));
      expect([thinking[0], thinking[20], thinking[21]]).toEqual([true, false, true]);
    }
    expect(refused(standIn)).toEqual([]);
  },
);

test('an execution that is cut off goes on with another system prompt or model, and with thinking that was off', async () => {
  const standIn = await standing({ script: thinksOnce(6) });
  const options = { base_url: standIn.url, api_key: KEY, tools: [note], conversation: { max_messages: 8 } };
  const provider = anthropicApi({ ...options, model: 'claude-haiku-4-5', system: 'S' });
  for (const thinking of [true, false]) {
    const reached: Checkpoint[] = [];
    await provider.execute('Go.', { thinking, onCheckpoint: (checkpoint) => void reached.push(checkpoint) });
    for (const at of [2, 4, 7, 10, 16]) {
      const conversationState = JSON.parse(JSON.stringify(resumeFrom(reached.slice(0, at))));
      for (const change of [{}, { system: 'T' }, { model: 'claude-sonnet-4-5' }]) {
        const ended = await provider.execute('', { thinking: true, conversationState, ...change });
        const next = await provider.execute('More.', {
          thinking: true,
          conversationState: ended.conversationState,
          ...change,
        });
        expect([ended.success, next.success], `${thinking} ${at} ${JSON.stringify(change)}`).toEqual([true, true]);
      }
    }
  }
  expect(refused(standIn)).toEqual([]);
});
